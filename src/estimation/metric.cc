#include "estimation/metric.h"

#include <cmath>

#include "kernels/spectrum.h"

namespace dppl {

NoisySecondMoment NoisySecondMoment::of(std::span<const int64_t> triangle, size_t dim, double one, double variance) {
  const auto size = static_cast<Eigen::Index>(dim);
  NoisySecondMoment moment{Eigen::MatrixXd(size, size), std::sqrt(variance) / one};
  size_t next = 0;
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = i; j < size; ++j) {
      moment.values(i, j) = moment.values(j, i) = static_cast<double>(triangle[next++]) / one;
    }
  }
  return moment;
}

Eigen::MatrixXd metric_of(const NoisySecondMoment& moment) {
  const Eigen::Index dim = moment.values.rows();
  const double records = moment.values.trace();  // rows have length 1
  // The noise's largest eigenvalue is about 2·σ·√dim; a little of the mean variance keeps the inverse tame. Where the
  // records cannot be distinguished from noise, the noise decides and the metric is nearly round.
  const double scale = std::max(records, moment.sigma * std::sqrt(static_cast<double>(dim)));
  const double floor =
      2 * std::sqrt(2.0 * static_cast<double>(dim)) * moment.sigma / scale + 0.02 / static_cast<double>(dim);
  return floored_inverse(moment.values / scale, floor);
}

void apply_metric(const Eigen::MatrixXd& metric, std::span<double> prototypes) {
  const Eigen::Index dim = metric.rows();
  for (size_t begin = 0; begin < prototypes.size(); begin += static_cast<size_t>(dim)) {
    Eigen::Map<Eigen::VectorXd> prototype(prototypes.data() + begin, dim);
    const Eigen::VectorXd image = metric * prototype;
    const double length = std::sqrt(prototype.dot(image));
    if (length > 0) prototype = image / length;
  }
}

}  // namespace dppl
