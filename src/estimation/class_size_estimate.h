#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dppl {

// The sizes of classes, from noisy ones (released values only): each drawn to their mean as far as the noise explains
// how they differ (empirical Bayes), and at least a hundredth of the mean. `variance`: of the noise.
std::vector<double> estimate_class_sizes(std::span<const int64_t> noisy, double variance);

}  // namespace dppl
