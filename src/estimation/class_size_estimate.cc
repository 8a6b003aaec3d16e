#include "estimation/class_size_estimate.h"

#include <algorithm>
#include <cmath>

namespace dppl {
namespace {

// The mean square of sizes over the square of their mean, where they fall geometrically from the largest to the
// smallest.
double dispersion(double ratio) { return std::log(ratio) / 2 * (ratio + 1) / (ratio - 1); }

}  // namespace

ClassSizeEstimate estimate_class_sizes(std::span<const int64_t> noisy, double variance) {
  const auto classes = static_cast<double>(noisy.size());
  double sum = 0, squares = 0;
  for (const int64_t size : noisy) {
    sum += static_cast<double>(size) / classes;
    squares += static_cast<double>(size) * static_cast<double>(size) / classes;
  }
  const double mean = std::max(sum, 1.0);
  ClassSizeEstimate estimate;
  // Noise of a tiny budget may tell any number; beyond this none changes a choice, and simulating so many takes time.
  constexpr double kMostRecords = 1e7;
  estimate.records = static_cast<uint64_t>(
      std::min(std::ceil(std::exp2(std::round(4 * std::log2(mean)) / 4) * classes), kMostRecords));
  // The noise of the mean square must leave the ratios apart.
  const bool known = noisy.size() > 1 && variance * std::sqrt(2 / classes) < mean * mean / 4;
  if (!known) return estimate;
  const double measured = (squares - variance) / (mean * mean), root = std::sqrt(10.0);
  estimate.ratio = measured < dispersion(root) ? 1 : measured < dispersion(10 * root) ? 10 : 100;
  return estimate;
}

}  // namespace dppl
