#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "lab/baselines/means.h"
#include "lab/baselines/rows.h"
#include "support/clouds.h"

namespace dppl {
namespace {

using testing::Clouds;
using testing::run;

struct Problem {
  Eigen::MatrixXd x, y, test;
};

Problem problem(const Clouds& clouds) {
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = static_cast<Eigen::Index>(clouds.labels.size()), d = static_cast<Eigen::Index>(clouds.dim);
  Problem result;
  result.x = Eigen::Map<const Rows>(clouds.train.data(), n, d).cast<double>();
  result.test = Eigen::Map<const Rows>(clouds.test.data(), n, d).cast<double>();
  result.y = Eigen::MatrixXd::Zero(n, static_cast<Eigen::Index>(clouds.classes));
  for (Eigen::Index i = 0; i < n; ++i) result.y(i, clouds.labels[static_cast<size_t>(i)]) = 1;
  return result;
}

// Columns of weights, one per class.
std::vector<uint32_t> largest(const Eigen::MatrixXd& scores) {
  std::vector<uint32_t> result;
  for (Eigen::Index i = 0; i < scores.rows(); ++i) {
    Eigen::Index best;
    scores.row(i).maxCoeff(&best);
    result.push_back(static_cast<uint32_t>(best));
  }
  return result;
}

TEST(Ridge, IsTheDirectSolution) {
  const Clouds clouds(10, 5, 40, 0.7);
  const Problem p = problem(clouds);
  BaselineInput input = clouds.input();
  input.settings = {{"lambda", 2}};
  // Least squares on rows extended by √λ·I: no normal equations here.
  Eigen::MatrixXd a(p.x.rows() + 10, 10), b = Eigen::MatrixXd::Zero(p.x.rows() + 10, 5);
  a << p.x, std::sqrt(2.0) * Eigen::MatrixXd::Identity(10, 10);
  b.topRows(p.y.rows()) = p.y;
  const Eigen::MatrixXd weights = a.colPivHouseholderQr().solve(b);
  EXPECT_EQ(clouds.predicted(run("ridge", input)), largest(p.test * weights));
  input.settings = {{"lambda", 2}, {"per_class", 0}};
  EXPECT_EQ(clouds.predicted(run("dp-ls", input)), largest(p.test * weights));
}

// Class c: least squares with all rows weighted α and the class's rows once more, against its indicator.
TEST(DpLs, IsTheWeightedDirectSolution) {
  const Clouds clouds(8, 4, 40, 0.7);
  const Problem p = problem(clouds);
  Eigen::MatrixXd weights(8, 4);
  for (Eigen::Index c = 0; c < 4; ++c) {
    const Eigen::VectorXd times = (p.y.col(c).array() + 0.3).matrix();
    const Eigen::MatrixXd normal = p.x.transpose() * times.asDiagonal() * p.x + 3 * Eigen::MatrixXd::Identity(8, 8);
    weights.col(c) = normal.fullPivLu().solve(p.x.transpose() * p.y.col(c));
  }
  BaselineInput input = clouds.input();
  input.settings = {{"alpha", 0.3}, {"lambda", 3}};
  EXPECT_EQ(clouds.predicted(run("dp-ls", input)), largest(p.test * weights));
}

TEST(DpLs, WithoutNoiseIsAsGoodAsRidge) {
  const Clouds clouds(24, 10, 200, 0.9);
  BaselineInput input = clouds.input();
  const double ridge = clouds.accuracy(clouds.predicted(run("ridge", input)));
  input.settings = {{"lambda", 1}, {"alpha", 1}};
  EXPECT_LT(ridge, 0.99);
  EXPECT_NEAR(clouds.accuracy(clouds.predicted(run("dp-ls", input))), ridge, 0.005);
}

// x·xᵀ of a unit row, entries above the diagonal once: what one record moves the released triangle by.
TEST(SecondMoment, ARecordMovesTheTriangleByOneAtMost) {
  const Clouds clouds(6, 2, 20);
  const std::span<const float> all = clouds.train;
  const auto triangle = [&](std::span<const float> rows) {
    const Eigen::MatrixXd moment = second_moment(rows, 6, {}, 1);
    std::vector<double> entries;
    for (Eigen::Index i = 0; i < 6; ++i) {
      for (Eigen::Index j = i; j < 6; ++j) entries.push_back(moment(i, j));
    }
    return entries;
  };
  double largest_move = 0;
  for (size_t i = 0; i + 1 < clouds.labels.size(); ++i) {
    largest_move = std::max(largest_move, distance(triangle(all.subspan(i * 6)), triangle(all.subspan((i + 1) * 6))));
  }
  EXPECT_LE(largest_move, 1 + 1e-4);
  EXPECT_GT(largest_move, 0.7);
}

TEST(SecondMoment, TakesWeights) {
  const Clouds clouds(5, 2, 700);
  std::vector<float> weights(clouds.labels.size());
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(5, 5);
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<float>(i % 7) / 7;
    const Eigen::VectorXd row = Eigen::Map<const Eigen::VectorXf>(clouds.train.data() + i * 5, 5).cast<double>();
    expected += double(weights[i]) * row * row.transpose();
  }
  EXPECT_LT((second_moment(clouds.train, 5, weights, 2) - expected).norm(), 1e-3);
}

}  // namespace
}  // namespace dppl
