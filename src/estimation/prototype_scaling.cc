#include "estimation/prototype_scaling.h"

#include <cmath>
#include <span>

#include "estimation/metric.h"

namespace dppl {
namespace {

double length(std::span<const double> row) {
  double squares = 0;
  for (const double value : row) squares += value * value;
  return std::sqrt(squares);
}

}  // namespace

std::vector<float> scale_prototypes(std::vector<double> means, size_t classes, double lift,
                                    const Eigen::MatrixXd* metric) {
  const size_t dim = means.size() / classes;
  // Given a sum that is nothing but noise, the posterior is the mean of many atoms, which is short.
  std::vector<double> scales(classes);
  for (size_t c = 0; c < classes; ++c) {
    const double certainty = length(std::span(means).subspan(c * dim, dim));
    scales[c] = certainty > 0 ? std::pow(certainty, -lift) : 0;
  }
  if (metric != nullptr) apply_metric(*metric, means);
  std::vector<float> prototypes(means.size());
  for (size_t c = 0; c < classes; ++c) {
    const auto mean = std::span(means).subspan(c * dim, dim);
    // apply_metric() has its own length; without it, unit length.
    const double scale = metric != nullptr ? scales[c] : scales[c] / std::max(length(mean), 1e-300);
    for (size_t k = 0; k < dim; ++k) prototypes[c * dim + k] = static_cast<float>(mean[k] * scale);
  }
  return prototypes;
}

}  // namespace dppl
