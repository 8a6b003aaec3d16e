#include "random/uniform.h"

#include <gtest/gtest.h>

#include "support/checks.h"
#include "support/statistics.h"

// Against its exact probabilities by chi-square at α = 1e-6 (tests/support/statistics.h). The seeds are fixed, so a
// failure is a change of behaviour and not bad luck. Power: the same draws must be rejected against a scale 10% off.
namespace dppl {
namespace {

using testing::chi_square_p_value;
using testing::count_draws;
using testing::kAlpha;

TEST(Uniform, MatchesExactProbabilities) {
  SeededRandom random(3);
  for (const uint64_t n : {1u, 2u, 3u, 10u, 1000u}) {
    const std::vector<double> flat(n, 1.0 / static_cast<double>(n));
    if (n > 1) {
      EXPECT_GT(chi_square_p_value(count_draws(200000, n, [&] { return uniform_below(random, n); }), flat), kAlpha);
      EXPECT_GT(
          chi_square_p_value(
              count_draws(200000, n,
                          [&] { return uniform_below(random, mpz_class(static_cast<unsigned long>(n))).get_ui(); }),
              flat),
          kAlpha);
    } else {
      EXPECT_EQ(uniform_below(random, n), 0u);
    }
  }
}

// Where a modulo or a truncated product is biased the most: n just above a power of two. Thirds of the range must be
// equally likely; `next64() % n` gives the lower half twice the weight (see the planted bug).
TEST(Uniform, LargeRangesAreUnbiased) {
  SeededRandom random(4);
  EXPECT_TRUE(testing::uniform_is_unbiased([&](uint64_t n) { return uniform_below(random, n); }));
  const std::vector<double> thirds(3, 1.0 / 3);
  const uint128 n128 = static_cast<uint128>(3) << 90;
  EXPECT_GT(chi_square_p_value(
                count_draws(300000, 3, [&] { return static_cast<size_t>(uniform_below(random, n128) / (n128 / 3)); }),
                thirds),
            kAlpha);
  const mpz_class big = mpz_class(3) << 200;
  EXPECT_GT(
      chi_square_p_value(
          count_draws(100000, 3, [&] { return mpz_class(uniform_below(random, big) / (big / 3)).get_ui(); }), thirds),
      kAlpha);
}

}  // namespace
}  // namespace dppl
