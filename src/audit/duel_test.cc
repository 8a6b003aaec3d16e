#include "audit/duel.h"

#include <gtest/gtest.h>

#include <cmath>

#include "audit/fits.h"
#include "random/simulation.h"

namespace dppl {
namespace {

// n = 40,000 fits on each data set. The bound on μ lies about 0.05 below the truth, with a standard deviation of 0.01:
// a real fit stays below its claim and above 0.9 of it, and one with 0.9 of the noise is refuted, each with a margin of
// five standard deviations or more.
TEST(AuditEndToEnd, SeesATenthOfTheNoise) {
  const AuditResult honest = run_duel(honest_fits().front(), 40000, 0.9999, 2);
  EXPECT_FALSE(honest.refuted()) << honest.lower_bound;
  EXPECT_FALSE(honest.idle()) << honest.lower_bound;
  const AuditResult narrow = run_duel(planted_fits().front(), 40000, 0.9999, 2);
  EXPECT_TRUE(narrow.refuted()) << narrow.lower_bound;
}

// A duel whose two sides have the same law tells nothing; one that tells everything is bounded by its number of fits.
TEST(Duel, BoundsWhatThereIsToTell) {
  Duel duel{.name = "", .neighbours = "", .simulate = [](int, Random& random) { return uniform(random); }};
  EXPECT_LT(run_duel(duel, 20000, 0.9999, 1).lower_bound, 0.1);
  duel.simulate = [](int world, Random&) { return static_cast<double>(world); };
  EXPECT_GT(run_duel(duel, 20000, 0.9999, 1).lower_bound, 6);
  duel.measure = AuditMeasure::epsilon;
  EXPECT_GT(run_duel(duel, 20000, 0.9999, 1).lower_bound, 7);
  // Randomised response at ε = 1.
  duel.simulate = [](int world, Random& random) {
    return uniform(random) < 1 / (1 + std::exp(1)) ? 1.0 - world : world;
  };
  const double bound = run_duel(duel, 100000, 0.9999, 2).lower_bound;
  EXPECT_LT(bound, 1);
  EXPECT_GT(bound, 0.93);
}

}  // namespace
}  // namespace dppl
