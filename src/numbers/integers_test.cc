#include "numbers/integers.h"

#include <gtest/gtest.h>

#include <limits>

#include "dppl/error.h"

namespace dppl {
namespace {

// Whatever the statistic is, noise that was cut gives the same: the result is a function of the sum.
TEST(AddNoise, IsAFunctionOfTheSumAlone) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max(), kCut = int64_t{1} << 62;
  for (const int64_t statistic : {-(kCut / 2), int64_t{-5}, int64_t{0}, int64_t{1}, kCut}) {
    EXPECT_EQ(add_noise(statistic, kMost), kCut);
    EXPECT_EQ(add_noise(statistic, -kMost), -(kCut / 2));
  }
  EXPECT_EQ(add_noise(7, -9), -2);
  EXPECT_THROW(add_noise(kMost, 0), InvalidInput);
}

}  // namespace
}  // namespace dppl
