#include "estimation/class_size_estimate.h"

#include <algorithm>

namespace dppl {

std::vector<double> estimate_class_sizes(std::span<const int64_t> noisy, double variance) {
  const auto classes = static_cast<double>(noisy.size());
  double sum = 0, squares = 0;
  for (const int64_t size : noisy) sum += static_cast<double>(size) / classes;
  for (const int64_t size : noisy) {
    const double from_mean = static_cast<double>(size) - sum;
    squares += from_mean * from_mean / classes;
  }
  const double mean = std::max(sum, 1.0), spread = std::max(squares - variance, 0.0);
  const double trust = spread > 0 ? spread / (spread + variance) : 0;
  std::vector<double> sizes;
  for (const int64_t size : noisy) {
    sizes.push_back(std::max(mean + (static_cast<double>(size) - sum) * trust, mean / 100));
  }
  return sizes;
}

}  // namespace dppl
