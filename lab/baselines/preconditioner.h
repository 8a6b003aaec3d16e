#pragma once

#include <Eigen/Core>
#include <span>

namespace dppl {

// The inverse of a symmetric matrix that is positive but for its noise: eigenvalues below 0 are set to 0, then `lambda`
// is added to all.
class Preconditioner {
 public:
  Preconditioner(const Eigen::MatrixXd& symmetric, double lambda);
  void apply(std::span<double> rows) const;  // to each row of the matrix's dimension

 private:
  Eigen::MatrixXd inverse_;
};

}  // namespace dppl
