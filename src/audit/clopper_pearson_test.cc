#include "audit/clopper_pearson.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dppl {
namespace {

TEST(ClopperPearson, MeetsTheBinomialTailsThatDefineIt) {
  const auto binomial_at_least = [](int hits, int n, double p) {
    double sum = 0;
    for (int k = hits; k <= n; ++k)
      sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(p) +
                      (n - k) * std::log1p(-p));
    return sum;
  };
  EXPECT_NEAR(binomial_at_least(7, 50, clopper_pearson_lower(7, 50, 0.01)), 0.01, 1e-9);
  EXPECT_NEAR(1 - binomial_at_least(8, 50, clopper_pearson_upper(7, 50, 0.01)), 0.01, 1e-9);
  EXPECT_EQ(clopper_pearson_lower(0, 50, 0.01), 0);
  EXPECT_EQ(clopper_pearson_upper(50, 50, 0.01), 1);
}

}  // namespace
}  // namespace dppl
