#include "estimation/prototype_scaling.h"

#include <gtest/gtest.h>

#include "estimation/metric.h"
#include "support/atoms.h"

namespace dppl {
namespace {

using namespace testing;

TEST(PrototypeScaling, GivesUnitLengthAndLeavesZerosAlone) {
  const std::vector<double> means{3, 4, 0, 0, -0.5, 0};
  EXPECT_EQ(unit_prototypes(means, 3), (std::vector<float>{0.6f, 0.8f, 0, 0, -1, 0}));
}

TEST(PrototypeScaling, ComparesWhiterThanItReleases) {
  const std::vector<double> whiter = compared_whiter(std::vector<double>{1, 1, 0, 0}, std::vector<double>{4, 0.25});
  EXPECT_NEAR(whiter[1] / whiter[0], 4, 1e-12);
  EXPECT_NEAR(whiter[0] * whiter[0] + whiter[1] * whiter[1], 1, 1e-12);
  EXPECT_EQ(whiter[2], 0);
}

TEST(PrototypeScaling, AMetricThatIsAllNoiseChangesLittle) {
  SeededRandom random(13);
  std::vector<double> sums(3 * kDim);
  for (double& value : sums) value = normal(random);
  NoisySecondMoment moment{Eigen::MatrixXd::Zero(kDim, kDim), 10};
  for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(kDim); ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) moment.values(i, j) = moment.values(j, i) = 10 * normal(random);
  }
  const auto plain = unit_prototypes(sums, 3), seen = metric_prototypes(sums, metric_of(moment));
  for (size_t c = 0; c < 3; ++c) {
    const auto row = [&](const std::vector<float>& of) {
      return std::vector<double>(of.begin() + static_cast<std::ptrdiff_t>(c * kDim),
                                 of.begin() + static_cast<std::ptrdiff_t>((c + 1) * kDim));
    };
    EXPECT_GT(cosine(row(plain), row(seen)), 0.9);
  }
}

}  // namespace
}  // namespace dppl
