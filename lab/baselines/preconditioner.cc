#include "lab/baselines/preconditioner.h"

#include <Eigen/Eigenvalues>

namespace dppl {

Preconditioner::Preconditioner(const Eigen::MatrixXd& symmetric, double lambda) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric);
  const Eigen::VectorXd inverse = (solver.eigenvalues().array().max(0.0) + lambda).inverse();
  inverse_ = solver.eigenvectors() * inverse.asDiagonal() * solver.eigenvectors().transpose();
}

void Preconditioner::apply(std::span<double> rows) const {
  const auto dim = inverse_.rows();
  Eigen::Map<Eigen::MatrixXd> columns(rows.data(), dim, static_cast<Eigen::Index>(rows.size()) / dim);
  columns = (inverse_ * columns).eval();
}

}  // namespace dppl
