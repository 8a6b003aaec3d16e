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

TEST(Centre, FollowsATotalWithoutNoise) {
  const std::vector<double> centre = centre_of({{300, -100, 0}, 1e-6}, 1000, std::vector<double>{1, 1, 1}, 0.9);
  EXPECT_NEAR(centre[0], 0.3, 1e-9);
  EXPECT_NEAR(centre[1], -0.1, 1e-9);
  EXPECT_EQ(centre[2], 0);
}

TEST(Centre, IsZeroWhereThereIsNothingButNoise) {
  for (const double value : centre_of({{9, -11, 8}, 10}, 1000, std::vector<double>{1, 1, 1}, 0.9)) EXPECT_EQ(value, 0);
}

TEST(Centre, IsNeverLongerThanTold) {
  const std::vector<double> centre = centre_of({{3000, 4000}, 1}, 10, std::vector<double>{1, 1}, 0.9);
  EXPECT_NEAR(std::hypot(centre[0], centre[1]), 0.9, 1e-12);
}

}  // namespace
}  // namespace dppl
