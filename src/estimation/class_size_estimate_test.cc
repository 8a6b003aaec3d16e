#include "estimation/class_size_estimate.h"

#include <gtest/gtest.h>

namespace dppl {
namespace {

TEST(ClassSizeEstimate, BelievesSizesThatStandOutOfTheNoise) {
  const std::vector<int64_t> sizes{5000, 700, 50};
  const std::vector<double> estimate = estimate_class_sizes(sizes, 100);
  for (size_t c = 0; c < 3; ++c) EXPECT_NEAR(estimate[c], static_cast<double>(sizes[c]), 5);
}

TEST(ClassSizeEstimate, TakesAllForEqualWhereNoiseExplainsTheDifferences) {
  for (const double size : estimate_class_sizes(std::vector<int64_t>{90, 110, 95, 105}, 400)) {
    EXPECT_DOUBLE_EQ(size, 100);
  }
}

TEST(ClassSizeEstimate, IsPositiveForAnyNoise) {
  for (const std::vector<int64_t>& noisy :
       {std::vector<int64_t>{-5000, 4000}, {-10, -20, -30}, {0}, {INT64_C(1) << 60, -(INT64_C(1) << 60)}}) {
    for (const double size : estimate_class_sizes(noisy, 1)) EXPECT_GT(size, 0);
  }
}

TEST(ClassSizeEstimate, FollowsAPermutationOfTheClasses) {
  const std::vector<double> one = estimate_class_sizes(std::vector<int64_t>{10, 500, 90}, 2000),
                            other = estimate_class_sizes(std::vector<int64_t>{90, 10, 500}, 2000);
  EXPECT_DOUBLE_EQ(one[0], other[1]);
  EXPECT_DOUBLE_EQ(one[1], other[2]);
}

}  // namespace
}  // namespace dppl
