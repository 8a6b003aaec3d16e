#pragma once

#include "rows/records.h"
#include "statistics/bounded_sum.h"

namespace dppl {

// How many records each class has. The bound is that of each class's own count: a record has one class (proof.md).
BoundedSum class_counts(std::span<const int64_t> labels, size_t classes);

}  // namespace dppl
