#include "dppl/audit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "audit/clopper_pearson.h"
#include "dppl/error.h"

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

// The default of 200,000 runs on each input, confidence 0.9999 a mechanism. Power: the two planted bugs that are
// hardest to see, the missing factor 2 and the paper's weight, are expected at bounds of 1.58 against a claim of 1 and
// 0.45 against 0.1, more than 7 standard deviations of the estimate above them. With 40,000 runs they are often missed.
TEST(Audit, BoundsEveryClaimFromBelowAndFindsEveryPlantedBug) {
  AuditOptions options;
  options.planted = true;
  size_t planted = 0;
  for (const AuditResult& result : audit(options)) {
    EXPECT_EQ(result.refuted(), result.planted)
        << result.name << " " << result.lower_bound << " against " << result.claim;
    EXPECT_GT(result.lower_bound, 0.3 * result.claim.get_d()) << result.name << ": no power";
    planted += result.planted ? 1 : 0;
  }
  EXPECT_EQ(planted, 4u);
}

TEST(Audit, RefusesWhatItCannotPlay) {
  AuditOptions options;
  options.trials = 10;
  EXPECT_THROW(audit(options), InvalidInput);
  options.trials = 1000;
  options.mechanism = "magic";
  EXPECT_THROW(audit(options), InvalidInput);
}

}  // namespace
}  // namespace dppl
