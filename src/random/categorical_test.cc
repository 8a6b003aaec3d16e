#include "random/categorical.h"

#include <gtest/gtest.h>

#include <cmath>

#include "numbers/interval.h"
#include "support/exact_coin.h"
#include "support/statistics.h"

// Against its exact probabilities by chi-square at α = 1e-6 (tests/support/statistics.h). The seeds are fixed, so a
// failure is a change of behaviour and not bad luck. Power: the same draws must be rejected against a scale 10% off.
namespace dppl {
namespace {

using testing::around_integer;
using testing::chi_square_p_value;
using testing::count_draws;
using testing::kAlpha;

TEST(ExpWeights, BoundsHoldOnBothSidesOfEveryIntegerExponent) {
  const auto check = [](const Rational& unit, uint64_t gap) {
    const ExpWeights weights(unit);
    const Exp2Bounds bounds = weights.bounds(gap);
    const Interval weight =
        scale2(exp(-Interval(Rational(unit * static_cast<unsigned long>(gap)), 512)), ExpWeights::kScaleBits);
    EXPECT_LE(Rational(static_cast<unsigned long>(bounds.lower)), weight.lower_rational()) << to_string(unit);
    EXPECT_GE(Rational(static_cast<unsigned long>(bounds.upper)), weight.upper_rational()) << to_string(unit);
    EXPECT_GT(bounds.upper, 0u);
    const std::optional<uint64_t> negligible = weights.negligible_gap();
    if (!negligible || *negligible > gap) return;
    EXPECT_LE(weight.upper_rational(), 1);
    EXPECT_EQ(bounds.upper, ExpWeights::kSmallest);
  };
  for (long k = 1; k <= 70; ++k) {
    for (const unsigned long bits : {40ul, 52ul, 60ul, 300ul}) {
      const auto [below, above] = around_integer(k, bits);
      for (const Rational& gamma : {below, above}) {
        check(gamma, 1);
        check(gamma / 1000, 1000);
        const std::optional<uint64_t> negligible = ExpWeights(gamma).negligible_gap();
        ASSERT_TRUE(negligible);
        check(gamma, *negligible);
      }
    }
  }
  // No gap of 63 bits is negligible.
  EXPECT_FALSE(ExpWeights(Rational(1, mpz_class(1) << 60)).negligible_gap());
  EXPECT_FALSE(ExpWeights(Rational(0)).negligible_gap());
}

TEST(Categorical, MatchesTheSoftmax) {
  // n = 300,000; exponents 10% off rejected.
  SeededRandom random(13);
  const std::vector<int64_t> values{0, 3, 7, 7, 20, 12, 1, 19};
  const Rational unit(1, 5);
  const auto probabilities = [&](double scale) {
    std::vector<double> p(values.size());
    double total = 0;
    for (size_t i = 0; i < p.size(); ++i) total += p[i] = std::exp(scale * static_cast<double>(values[i] - 20));
    for (double& x : p) x /= total;
    return p;
  };
  const auto counts = count_draws(300000, values.size(), [&] { return categorical_exp(random, values, unit); });
  EXPECT_GT(chi_square_p_value(counts, probabilities(0.2)), kAlpha);
  EXPECT_LT(chi_square_p_value(counts, probabilities(0.22)), kAlpha);
  EXPECT_LT(chi_square_p_value(counts, probabilities(0.18)), kAlpha);
}

TEST(Categorical, ManyCandidatesAcrossBlocks) {
  // 5,000 equal candidates and one that has as much as all of them: ln 5000/unit above.
  SeededRandom random(14);
  std::vector<int64_t> values(5001, 0);
  values[3000] = 8517;  // 5000 = exp(8.517)
  const auto counts =
      count_draws(20000, 2, [&] { return size_t{categorical_exp(random, values, Rational(1, 1000)) == 3000}; });
  const double odds = std::exp(8.517) / 5000;
  EXPECT_GT(chi_square_p_value(counts, {1 / (1 + odds), odds / (1 + odds)}), kAlpha);
}

TEST(Categorical, LooseProposalsDoNotBendTheLaw) {
  // Proposal weights twice and nine times too large: only more rounds, the same law. Without the acceptance step this
  // fails.
  SeededRandom random(15);
  const std::vector<int64_t> gaps{0, 10, 25};
  const Proposal proposal({2 * 1024, 9 * 1024, 1024});
  const auto draw = [&] {
    while (true) {
      const size_t i = proposal.draw(random);
      if (accept_weight(
              random, proposal.weight(i), {0, proposal.weight(i)}, [] { return Rational(1024); },
              [&] { return Rational(gaps[i], 10); }))
        return i;
    }
  };
  const double total = 1 + std::exp(-1) + std::exp(-2.5);
  const auto counts = count_draws(50000, 3, draw);
  EXPECT_GT(chi_square_p_value(counts, {1 / total, std::exp(-1) / total, std::exp(-2.5) / total}), kAlpha);
}

}  // namespace
}  // namespace dppl
