#pragma once

#include "rows/private_access.h"
#include "rows/small_rows.h"
#include "statistics/bounded_sum.h"

namespace dppl {

// Σ x·xᵀ over all records, x of length 1 as small integers: the upper triangle, row after row, in units of
// 1/kSmallRadius². With people: the sum of the mean over each person's records. `rows`: of these records, in their
// order. Why one record or person moves it by no more than the bound: proof.md. All classes are in it: it composes with
// what is released per class by addition.
BoundedSum second_moment(const SmallRows& rows, const PrivateAccess& access, unsigned threads);

inline constexpr int64_t kSecondMomentOne = kSmallRadius * kSmallRadius;

}  // namespace dppl
