#include "lab/baselines/softmax_gradient.h"

#include <Eigen/Core>
#include <cmath>

#include "kernels/gemm.h"
#include "lab/baselines/rows.h"

namespace dppl {
namespace {

using FloatRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Index index(size_t value) { return static_cast<Eigen::Index>(value); }

// Scores to probabilities, row by row.
void softmax(Eigen::Map<FloatRows>& scores) {
  for (Eigen::Index i = 0; i < scores.rows(); ++i) {
    auto row = scores.row(i).array();
    row = (row - row.maxCoeff()).exp();
    row /= row.sum();
  }
}

}  // namespace

std::vector<double> softmax_gradient(const LabelledRows& rows, std::span<const double> weights,
                                     const SetFactors& set_factors, unsigned threads) {
  const std::vector<float> columns = to_float(weights);
  return sum_blocks(rows.count(), rows.classes * rows.dim, threads,
                    [&](size_t begin, size_t end, std::span<float> out) {
                      const size_t count = end - begin;
                      const float* values = rows.values.data() + begin * rows.dim;
                      std::vector<float> residuals(count * rows.classes), factors(count);
                      Eigen::Map<FloatRows> matrix(residuals.data(), index(count), index(rows.classes));
                      multiply_rows(values, count, rows.dim, columns.data(), rows.classes, residuals.data());
                      softmax(matrix);
                      for (size_t i = 0; i < count; ++i) residuals[i * rows.classes + rows.labels[begin + i]] -= 1;
                      set_factors(begin, end, residuals, factors);
                      for (size_t i = 0; i < count; ++i) matrix.row(index(i)) *= factors[i];
                      multiply_columns(residuals.data(), count, rows.classes, values, rows.dim, out.data());
                    });
}

float loss_of(float residual) { return -std::log(std::max(1 + residual, 1e-30f)); }

ScaledGradient scaled_gradient(const LabelledRows& rows, std::span<const double> weights,
                               const std::function<double(double)>& factor, unsigned threads) {
  ScaledGradient result;
  for (auto* values : {&result.norms, &result.losses, &result.curvatures}) values->resize(rows.count());
  const auto set_factors = [&](size_t begin, size_t end, std::span<const float> residuals, std::span<float> factors) {
    for (size_t i = begin; i < end; ++i) {
      const float* residual = residuals.data() + (i - begin) * rows.classes;
      const float squares = Eigen::Map<const Eigen::VectorXf>(residual, index(rows.classes)).squaredNorm();
      const float length = Eigen::Map<const Eigen::VectorXf>(rows.values.data() + i * rows.dim, index(rows.dim)).norm();
      const float right = residual[rows.labels[i]];  // p_y − 1
      result.norms[i] = std::sqrt(squares) * length;
      result.losses[i] = loss_of(right);
      result.curvatures[i] = std::max(-squares - 2 * right, 0.0f);
      factors[i - begin] = static_cast<float>(factor(static_cast<double>(result.norms[i])));
    }
  };
  result.sum = softmax_gradient(rows, weights, set_factors, threads);
  return result;
}

}  // namespace dppl
