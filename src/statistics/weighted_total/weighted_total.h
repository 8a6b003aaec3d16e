#pragma once

#include "rows/records.h"
#include "statistics/bounded_sum.h"

namespace dppl {

// What a record of full weight has; other weights are whole parts of it.
inline constexpr int64_t kFullWeight = 1 << 12;

// The exact sum of all records' integer rows, each weighted by its class (dim values). A row longer than `clip` counts
// as one of that length, which becomes kRadius; shorter ones keep their proportion. `weights`: one per class, from 0 to
// kFullWeight, public or released. With people: the sum of the means of each person's rows. How far one record or
// person can move it: proof.md.
BoundedSum weighted_total(const Records& records, std::span<const int64_t> weights, double clip);

}  // namespace dppl
