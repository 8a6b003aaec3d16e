#include "lab/baselines/noise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace dppl {

void add_noise(std::span<double> values, double sigma, Random& random) {
  if (sigma == 0) return;
  Normals normals(random);
  for (double& value : values) value += sigma * normals.next();
}

void add_symmetric_noise(Eigen::MatrixXd& matrix, double sigma, Random& random) {
  if (sigma == 0) return;
  Normals normals(random);
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = i; j < matrix.cols(); ++j) matrix(j, i) = matrix(i, j) += sigma * normals.next();
  }
}

double Account::gaussian(double share, double sensitivity) {
  if (!rho_) return 0;
  pay(share);
  return sensitivity / std::sqrt(2 * share * *rho_);
}

double Account::exponential(double share) {
  if (!rho_) return std::numeric_limits<double>::infinity();
  pay(share);
  return std::sqrt(8 * share * *rho_);
}

void Account::pay(double share) {
  share_ += share;
  if (share_ > 1 + 1e-9) throw std::logic_error("a baseline spends more than its budget");
}

// Shares that add up to 1 may do so with a rounding above it.
double Account::spent() const { return rho_ ? std::min(share_, 1.0) * *rho_ : 0; }

}  // namespace dppl
