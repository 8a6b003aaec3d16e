#include "statistics/second_moment/second_moment.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>

#include "random/simulation.h"
#include "statistics/class_sums/class_sums.h"

namespace dppl {
namespace {

constexpr size_t kDim = 16;
constexpr auto kOne = static_cast<double>(kSecondMomentOne);

struct Sample {
  std::vector<float> values;
  std::vector<int64_t> labels;
};
Sample sample_of(size_t count) {
  SeededRandom random(10);
  Sample result;
  for (size_t i = 0; i < count * kDim; ++i) result.values.push_back(static_cast<float>(normal(random)));
  for (size_t i = 0; i < count; ++i) result.labels.push_back(static_cast<int64_t>(i % 2));
  return result;
}

BoundedSum moment_of(const Sample& sample, unsigned threads = 2) {
  const PrivateData data = PrivateData::from_memory(sample.values, kDim, sample.labels, ClassSet::numbered(2));
  const PrivateAccess access(data);
  const PublicTransform transform = PublicTransform::restore({}, kDim, {}, {});
  SmallRows rows(access.size(), kDim);
  class_sums({access, 2, transform, threads}, rows);
  return second_moment(rows, access, threads);
}

TEST(SecondMoment, IsTheSumOfOuterProductsOfUnitRows) {
  const Sample sample = sample_of(50);
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(kDim, kDim);
  for (size_t i = 0; i < 50; ++i) {
    Eigen::VectorXd row(kDim);
    for (size_t k = 0; k < kDim; ++k)
      row(static_cast<Eigen::Index>(k)) = static_cast<double>(sample.values[i * kDim + k]);
    row.normalize();
    expected += row * row.transpose();
  }
  const BoundedSum sum = moment_of(sample);
  EXPECT_EQ(sum.values, moment_of(sample, 1).values);
  size_t next = 0;
  for (Eigen::Index i = 0; i < expected.rows(); ++i) {
    for (Eigen::Index j = i; j < expected.cols(); ++j) {
      // Each of 50 rows is truncated by at most 1/4096 in every coordinate.
      EXPECT_NEAR(static_cast<double>(sum.values[next++]) / kOne, expected(i, j), 50 * 2.0 / 4096);
    }
  }
}

// What the proof asks for: one record more moves the upper triangle by a 2-norm of at most the bound. A row along an
// axis comes close to it, so a noise made for less would be too small.
TEST(SecondMoment, MovesByAtMostOneForOneRecord) {
  const Sample without = sample_of(20);
  for (size_t kind = 0; kind < 3; ++kind) {
    Sample with = without;
    for (size_t k = 0; k < kDim; ++k) {
      with.values.push_back(kind == 0 ? (k == 3 ? 7.0f : 0.0f) : kind == 1 ? 1.0f : static_cast<float>(k) - 3.3f);
    }
    with.labels.push_back(1);
    const BoundedSum before = moment_of(without), after = moment_of(with);
    double squares = 0;
    for (size_t i = 0; i < before.values.size(); ++i) {
      const auto moved = static_cast<double>(after.values[i] - before.values[i]);
      squares += moved * moved;
    }
    const auto bound = static_cast<double>(before.bound.squared);
    EXPECT_LE(squares, bound) << kind;
    if (kind == 0) {
      EXPECT_GT(squares, 0.99 * bound);
    }
  }
}

}  // namespace
}  // namespace dppl
