#include "statistics/gradient_sum/gradient_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/gradient_sample.h"

namespace dppl {
namespace {

using namespace testing;

TEST(GradientSum, IsTheSumOfTheRecordsClippedGradients) {
  const Sample sample = sample_of(300);
  const Refinement at = somewhere();
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(kClasses, kDim);
  size_t clipped = 0;
  for (size_t i = 0; i < 300; ++i) {
    const Eigen::MatrixXd one =
        gradient_by_hand(std::span(sample.values).subspan(i * kDim, kDim), static_cast<size_t>(sample.labels[i]), at);
    const double length = one.norm();
    clipped += length > kGradientClip ? 1 : 0;
    expected += one * std::min(1.0, kGradientClip / length);
  }
  ASSERT_GT(clipped, 50u);
  ASSERT_LT(clipped, 299u);
  const std::vector<int64_t> sum = exact(sample, at);
  for (size_t c = 0; c < kClasses; ++c) {
    for (size_t k = 0; k < kDim; ++k) {
      // Each of 300 products of two truncated values is off by at most 2·kClip/4096.
      EXPECT_NEAR(static_cast<double>(sum[c * kDim + k]) * kGradientUnit,
                  expected(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(k)), 300 * 2 * 0.5 / 4096);
    }
  }
}

// What the proof asks for, to the bit: a record moves the sum by the same integers whoever else is there and wherever
// it stands (all others move by one place where it comes first, over several blocks), and by a 2-norm of at most R².
TEST(GradientSum, MovesByOneRecordsOwnAndAtMostTheBound) {
  const Refinement at = somewhere();
  SeededRandom random(22);
  double longest = 0;
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<float> row(kDim);
    for (float& value : row) value = trial == 0 ? 0.0f : static_cast<float>(normal(random));
    if (trial == 0) row[3] = 9;
    const auto label = static_cast<int64_t>(random.next64() % kClasses);
    Sample alone;
    alone.add(row, label, false);
    const std::vector<int64_t> own = exact(alone, at);
    for (const size_t others : {7u, 2100u}) {
      const Sample without = sample_of(others);
      const std::vector<int64_t> before = exact(without, at);
      for (const bool in_front : {false, true}) {
        Sample with = without;
        with.add(row, label, in_front);
        const std::vector<int64_t> after = exact(with, at);
        for (size_t k = 0; k < own.size(); ++k) ASSERT_EQ(after[k] - before[k], own[k]) << trial << ' ' << others;
      }
    }
    double squares = 0;
    for (const int64_t value : own) squares += static_cast<double>(value) * static_cast<double>(value);
    EXPECT_LE(squares, kNorm * kNorm);
    longest = std::max(longest, squares);
    // Not clipped it would be longer than the bound, or this test could not see that clipping is left out.
    if (squares > 0.9 * kNorm * kNorm) {
      EXPECT_GT(gradient_by_hand(row, static_cast<size_t>(label), at).norm(), kGradientClip);
    }
  }
  // Close to the bound, so noise made for less would be too small.
  EXPECT_GT(longest, 0.98 * kNorm * kNorm);
}

TEST(GradientSum, IsTheSameFromAnyNumberOfThreads) {
  const Sample sample = sample_of(3000);
  EXPECT_EQ(exact(sample, somewhere(), 1), exact(sample, somewhere(), 3));
}

TEST(GradientSum, StaysExactWithTheLargestWeights) {
  Refinement at = somewhere();
  SeededRandom random(23);
  std::vector<double> far(kClasses * kDim);
  for (double& value : far) value = 1e9 * normal(random);
  at.step(far);
  Sample sample = sample_of(1500);
  const std::vector<int64_t> before = exact(sample, at);
  sample.add(std::vector<float>(kDim, 1.0f), 0, true);
  Sample alone;
  alone.add(std::vector<float>(kDim, 1.0f), 0, true);
  const std::vector<int64_t> after = exact(sample, at), own = exact(alone, at);
  for (size_t k = 0; k < own.size(); ++k) ASSERT_EQ(after[k] - before[k], own[k]);
}

TEST(GradientSum, DeclaresTheBoundThatItsNoiseIsMadeFor) {
  const BoundedSum sum = exact_sum(sample_of(10), somewhere());
  EXPECT_EQ(sum.bound.squared, kSmallRadius * kSmallRadius * kSmallRadius * kSmallRadius);
  EXPECT_EQ(sum.bound.relation, Relation::add_remove);
  // clip·√(1/(2ρ)) = 1 for one step of ρ = 1/8, √30 for each of 30.
  EXPECT_DOUBLE_EQ(gradient_sigma(0.125, 1), 1);
  EXPECT_NEAR(gradient_sigma(0.125, 30), std::sqrt(30), 1e-12);
  const double variance = gaussian_variance(sum.bound.squared, Rational(1, 8)).get_d();
  EXPECT_NEAR(std::sqrt(variance) * kGradientUnit, 1, 1e-9);
}

}  // namespace
}  // namespace dppl
