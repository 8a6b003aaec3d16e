#pragma once

#include <Eigen/Core>

// Eigenvalues of symmetric matrices. Eigen is compiled for the baseline: one code path, so one result on every machine.
namespace dppl {

struct Spectrum {
  Eigen::VectorXd values;      // descending
  Eigen::MatrixXd directions;  // in columns, in the same order; an eigenvector has no sign of its own
};
Spectrum spectrum_of(const Eigen::MatrixXd& symmetric);

// The inverse of a symmetric matrix that is positive but for its noise: eigenvalues below 0 are set to 0, then `floor`
// is added to all.
Eigen::MatrixXd floored_inverse(const Eigen::MatrixXd& symmetric, double floor);

}  // namespace dppl
