#include "estimation/prototype_scaling.h"

#include <cmath>

#include "estimation/metric.h"

namespace dppl {
namespace {

double length(std::span<const double> row) {
  double squares = 0;
  for (const double value : row) squares += value * value;
  return std::sqrt(squares);
}

// Every row divided by its length; zeros stay zeros.
template <typename T>
std::vector<T> unit_rows(std::span<const double> rows, size_t dim) {
  std::vector<T> result(rows.size());
  for (size_t begin = 0; begin < rows.size(); begin += dim) {
    const double scale = 1 / std::max(length(rows.subspan(begin, dim)), 1e-300);
    for (size_t k = begin; k < begin + dim; ++k) result[k] = static_cast<T>(rows[k] * scale);
  }
  return result;
}

}  // namespace

std::vector<float> unit_prototypes(std::span<const double> means, size_t classes) {
  return unit_rows<float>(means, means.size() / classes);
}

std::vector<float> metric_prototypes(std::vector<double> means, const Eigen::MatrixXd& metric) {
  apply_metric(metric, means);
  return {means.begin(), means.end()};
}

std::vector<double> compared_whiter(std::span<const double> means, std::span<const double> variances) {
  std::vector<double> whiter(means.size());
  for (size_t i = 0; i < means.size(); ++i) whiter[i] = means[i] / std::sqrt(variances[i % variances.size()]);
  return unit_rows<double>(whiter, variances.size());
}

}  // namespace dppl
