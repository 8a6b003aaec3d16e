#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dppl {

// What a person adds to a sum, clipped: integers of 2-norm above `radius` are made shorter by one factor and truncation
// toward zero; others stay as they are. The 2-norm of the result is at most `radius`, to the bit, for any integers: it
// is measured, and what were longer would become zeros. A function of the integers alone (clip_person.proof.md).
void clip_person(std::span<int64_t> sum, int64_t radius);

// Sizes by which people are turned to their smaller classes: none at all, or one per class, above 0 and finite. Throws
// Error otherwise; what is computed by them must be numbers.
void check_class_sizes(std::span<const double> sizes, size_t classes);

}  // namespace dppl
