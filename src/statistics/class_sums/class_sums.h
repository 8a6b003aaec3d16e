#pragma once

#include "rows/records.h"
#include "rows/small_rows.h"
#include "statistics/bounded_sum.h"

namespace dppl {

// For every class the exact sum of its records' integer rows (classes × dim). The bound is that of all sums together,
// as one vector (proof.md): a record is in one of them; what a person has in all of them is clipped to it. Integer sums
// do not depend on the order of records or threads.
BoundedSum class_sums(const Records& records);

// The same in the one pass that also keeps the records as small integers, for statistics of products.
BoundedSum class_sums(const Records& records, SmallRows& kept);

}  // namespace dppl
