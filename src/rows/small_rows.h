#pragma once

#include <Eigen/Core>

#include "methods/method.h"

// Records as small integers, for releases that are sums of products.
namespace dppl {

// 2-norm of the largest such row. Products of two of them add up exactly in double, in any order, over 2^28 records.
inline constexpr int64_t kSmallRadius = 1 << 12;

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The integer rows (integer_row.h) of records begin … end after the transform, scaled to length 1: whole numbers, each
// row of 2-norm at most kSmallRadius. A row is a function of its record alone.
RowMatrix small_rows(const FitInput& input, size_t begin, size_t end);

// integer_row() of `row`, as small: 2-norm at most kSmallRadius where the row is of length `clip` or more, else in
// proportion.
void small_row(std::span<const float> row, double clip, std::span<int32_t> out);

}  // namespace dppl
