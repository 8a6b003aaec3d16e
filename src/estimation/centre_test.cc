#include "estimation/centre.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dppl {
namespace {

TEST(Centre, LargeClassesCountAsMuchAsTheMedianOne) {
  EXPECT_EQ(centre_weights(std::vector<double>{10, 100, 1000}, 4096), (std::vector<int64_t>{4096, 4096, 409}));
  EXPECT_EQ(centre_weights(std::vector<double>{50, 50}, 4096), (std::vector<int64_t>{4096, 4096}));
  EXPECT_EQ(centre_weights(std::vector<double>{7}, 4096), (std::vector<int64_t>{4096}));
}

PoolPrior prior_of(std::vector<double> variances) {
  return {.dim = variances.size(), .variances = std::move(variances), .row_length = 1};
}

// So many classes of equal size that they are off by nothing on average.
std::vector<double> many_classes(double records) { return std::vector<double>(100000, records / 100000); }

TEST(Centre, FollowsATotalWithoutNoise) {
  const std::vector<double> centre = centre_of({{300, -100, 0}, 1e-6, many_classes(1000)}, prior_of({1, 1, 1}), 3);
  EXPECT_NEAR(centre[0], 0.3, 1e-5);
  EXPECT_NEAR(centre[1], -0.1, 1e-5);
  EXPECT_EQ(centre[2], 0);
}

TEST(Centre, IsZeroWhereThereIsNothingButNoise) {
  for (const double value : centre_of({{9, -11, 8}, 10, many_classes(1000)}, prior_of({1, 1, 1}), 3)) {
    EXPECT_EQ(value, 0);
  }
}

TEST(Centre, IsNotMadeOfTheMeansOfFewClasses) {
  // Ten classes, each ½ from where all lie: their mean is √(¼/10) from there by chance.
  const double by_chance = std::sqrt(0.25 / 10);
  const std::vector<double> ten(10, 100);
  const auto centre_at = [&](double length, const std::vector<double>& records) {
    return centre_of({{1000 * length, 0}, 1e-6, records}, prior_of({1, 1}), 3)[0];
  };
  EXPECT_EQ(centre_at(0.99 * by_chance, ten), 0);
  EXPECT_GT(centre_at(1.1 * by_chance, ten), 0);
  // Half of the square of its length is more than chance: half of it is the centre.
  EXPECT_NEAR(centre_at(std::sqrt(2) * by_chance, ten), std::sqrt(0.5) * by_chance, 1e-9);
  // One large class and nine small ones say less than ten of the same size, and a hundred say more.
  EXPECT_EQ(centre_at(2 * by_chance, {910, 10, 10, 10, 10, 10, 10, 10, 10, 10}), 0);
  EXPECT_NEAR(centre_at(2 * by_chance, std::vector<double>(100, 10)), 2 * by_chance * (1 - 0.1 / 4), 1e-9);
  // Far away, it is followed.
  EXPECT_NEAR(centre_at(0.8, ten), 0.8 * (1 - 0.25 / 10 / 0.64), 1e-9);
}

TEST(Centre, IsNeverLongerThanARow) {
  const std::vector<double> centre = centre_of({{3000, 4000}, 1, many_classes(10)}, prior_of({1, 1}), 3);
  EXPECT_NEAR(std::hypot(centre[0], centre[1]), 1, 1e-12);
}

}  // namespace
}  // namespace dppl
