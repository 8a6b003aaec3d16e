#include "kernels/spectrum.h"

#include <Eigen/Eigenvalues>

namespace dppl {

using Solver = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;  // ascending

Spectrum spectrum_of(const Eigen::MatrixXd& symmetric) {
  const Solver solver(symmetric);
  return {solver.eigenvalues().reverse(), solver.eigenvectors().rowwise().reverse()};
}

Eigen::MatrixXd floored_inverse(const Eigen::MatrixXd& symmetric, double floor) {
  const Solver solver(symmetric);
  const Eigen::VectorXd inverse = (solver.eigenvalues().array().max(0.0) + floor).inverse();
  return solver.eigenvectors() * inverse.asDiagonal() * solver.eigenvectors().transpose();
}

}  // namespace dppl
