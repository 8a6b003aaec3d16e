#include "estimation/refinement.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/gradient_sample.h"

namespace dppl {
namespace {

using namespace testing;

TEST(Refinement, StartsAtTheMeansAndKnowsTheSizes) {
  const Refinement at = somewhere();
  EXPECT_NEAR(at.offsets()[0], 0, 1e-12);
  EXPECT_NEAR(at.offsets()[1], std::log(0.5), 1e-12);
  EXPECT_NEAR(at.offsets()[4], std::log(0.001), 1e-12);
  const std::vector<float> plain = at.prototypes(0), balanced = at.prototypes(0.1);
  for (size_t k = 0; k < kDim; ++k) {
    EXPECT_FLOAT_EQ(balanced[k], plain[k]);
    EXPECT_FLOAT_EQ(balanced[4 * kDim + k], plain[4 * kDim + k] * static_cast<float>(std::pow(0.001, -0.1)));
  }
}

TEST(Refinement, AStepGoesDownhill) {
  const Sample sample = sample_of(500);
  Refinement at = somewhere();
  const auto loss = [&] {
    double total = 0;
    for (size_t i = 0; i < 500; ++i) {
      const auto row = std::span(sample.values).subspan(i * kDim, kDim);
      const auto label = static_cast<Eigen::Index>(sample.labels[i]);
      // p_y from p − y, by the length of the row's share.
      const Eigen::MatrixXd gradient = gradient_by_hand(row, static_cast<size_t>(label), at);
      total -= std::log(1 - gradient.row(label).norm());
    }
    return total;
  };
  const double before = loss();
  for (int t = 0; t < 20; ++t) {
    std::vector<double> gradient;
    for (const int64_t value : exact(sample, at)) gradient.push_back(static_cast<double>(value) * kGradientUnit);
    at.step(gradient);
  }
  EXPECT_LT(loss(), 0.8 * before);
}

}  // namespace
}  // namespace dppl
