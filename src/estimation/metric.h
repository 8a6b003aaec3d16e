#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>

// A metric that fits the private data, made of a released second moment.
namespace dppl {

// A symmetric matrix in units of rows of length 1, and the standard deviation of the noise in each entry.
struct NoisySecondMoment {
  Eigen::MatrixXd values;
  double sigma = 0;

  // From a released upper triangle, row after row, in units of 1/one.
  static NoisySecondMoment of(std::span<const int64_t> triangle, size_t dim, double one, double variance);
};

// The inverse of the second moment, as far as it stands out of its noise: inner products by it are those of the space
// in which the second moment is round.
Eigen::MatrixXd metric_of(const NoisySecondMoment& moment);

// Prototypes for Distance::dot, in place (classes × dim): the inner product with a row is the row's cosine with the
// prototype by the metric, up to a factor of the row; a zero prototype stays zero.
void apply_metric(const Eigen::MatrixXd& metric, std::span<double> prototypes);

}  // namespace dppl
