#pragma once

#include "rows/records.h"
#include "statistics/bounded_sum.h"

namespace dppl {

// How many records each class has. With people: how many people have most of their records in it; of classes with as
// many the first. The bound is that of all counts together: a record, or a person, is counted once (proof.md).
BoundedSum class_counts(const PrivateAccess& access, size_t classes);

}  // namespace dppl
