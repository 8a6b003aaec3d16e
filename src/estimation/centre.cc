#include "estimation/centre.h"

#include <algorithm>
#include <cmath>

namespace dppl {

std::vector<int64_t> centre_weights(std::span<const double> sizes, int64_t full) {
  std::vector<double> sorted(sizes.begin(), sizes.end());
  const size_t upper = sorted.size() / 2, lower = (sorted.size() - 1) / 2;
  std::sort(sorted.begin(), sorted.end());
  const double median = (sorted[lower] + sorted[upper]) / 2;
  std::vector<int64_t> weights;
  for (const double size : sizes) {
    weights.push_back(static_cast<int64_t>(std::min(1.0, median / size) * static_cast<double>(full)));
  }
  return weights;
}

std::vector<double> centre_of(const NoisyTotal& total, double weighted_records, std::span<const double> prior_variances,
                              double longest) {
  double squares = 0, all = 0;
  for (const double value : total.values) squares += value * value;
  for (const double variance : prior_variances) all += variance;
  const auto dim = static_cast<double>(total.values.size());
  const double noise = total.sigma * total.sigma, signal = std::max(squares - noise * dim, 0.0);
  std::vector<double> centre(total.values.size());
  double length = 0;
  for (size_t k = 0; k < centre.size(); ++k) {
    const double expected = signal * prior_variances[k] / all;
    centre[k] = expected > 0 ? expected / (expected + noise) * total.values[k] / weighted_records : 0;
    length += centre[k] * centre[k];
  }
  length = std::sqrt(length);
  if (length > longest) {
    for (double& value : centre) value *= longest / length;
  }
  return centre;
}

}  // namespace dppl
