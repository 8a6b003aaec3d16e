#include "estimation/centre.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

std::vector<double> centre_of(const NoisyTotal& total, const PoolPrior& prior, double prior_variance) {
  const auto squares_of = [](std::span<const double> values) {
    return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
  };
  const double records = std::accumulate(total.records.begin(), total.records.end(), 0.0);
  const double all = std::accumulate(prior.variances.begin(), prior.variances.end(), 0.0);
  const double of_class = prior.row_length * prior.row_length / (1 + prior_variance);
  // What adds up to the squared length of the total.
  const double noise = total.sigma * total.sigma, own = of_class * squares_of(total.records);
  const double dim = static_cast<double>(total.values.size());
  const double shift = std::max(squares_of(total.values) - noise * dim - own, 0.0);
  std::vector<double> centre(total.values.size());
  for (size_t k = 0; k < centre.size(); ++k) {
    const double part = prior.variances[k] / all;
    centre[k] = shift > 0 ? shift * part / ((shift + own) * part + noise) * total.values[k] / records : 0;
  }
  const double length = std::sqrt(squares_of(centre));
  if (length > prior.row_length) {
    for (double& value : centre) value *= prior.row_length / length;
  }
  return centre;
}

}  // namespace dppl
