#include "random/discrete_laplace.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/laplace.hpp>
#include <cmath>
#include <limits>

#include "dppl/error.h"
#include "support/statistics.h"

// Against its exact probabilities by chi-square at α = 1e-6 (tests/support/statistics.h). The seeds are fixed, so a
// failure is a change of behaviour and not bad luck. Power: the same draws must be rejected against a scale 10% off.
namespace dppl {
namespace {

using testing::Cells;
using testing::kAlpha;
using testing::p_value;

// Pr[X < edge] in closed form: with q = exp(−1/scale), Pr[X <= −k] = q^k/(1 + q) for k >= 0.
double laplace_below(double scale, int64_t edge) {
  const double q = std::exp(-1 / scale);
  if (edge > 0) return 1 - std::exp(-static_cast<double>(edge) / scale) / (1 + q);
  return std::exp(static_cast<double>(edge - 1) / scale) / (1 + q);
}

Cells laplace_cells(double scale, size_t cells) {
  const boost::math::laplace continuous(0, scale);
  Cells result;
  double below = 0;
  for (size_t i = 1; i < cells; ++i) {
    const int64_t edge = std::llround(quantile(continuous, static_cast<double>(i) / static_cast<double>(cells)));
    if (!result.edges.empty() && edge == result.edges.back()) continue;
    result.edges.push_back(edge);
    result.probabilities.push_back(laplace_below(scale, edge) - below);
    below = laplace_below(scale, edge);
  }
  result.probabilities.push_back(1 - below);
  return result;
}

TEST(DiscreteLaplace, MatchesItsProbabilities) {
  // n = 300,000, cells of about equal probability (the two outer ones are the tails), scales 10% off rejected.
  SeededRandom random(9);
  for (const char* text : {"0.3", "1", "2.5", "17/3", "1000", "1000000"}) {
    const Rational scale = parse_rational(text, "scale");
    const DiscreteLaplace sampler(scale);
    const auto draw = [&] { return sampler(random); };
    EXPECT_GT(p_value(laplace_cells(scale.get_d(), 60), 300000, draw), kAlpha) << text;
    EXPECT_LT(p_value(laplace_cells(0.9 * scale.get_d(), 60), 300000, draw), kAlpha) << text << ": no power";
    EXPECT_LT(p_value(laplace_cells(1.1 * scale.get_d(), 60), 300000, draw), kAlpha) << text << ": no power";
  }
}

// Scales so wide that draws beyond 64 bits are common: none is refused, and what does not fit is the largest number.
TEST(DiscreteLaplace, SaturatesInsteadOfRefusing) {
  const DiscreteLaplace wide(Rational((mpz_class(1) << 62) - 1));
  SeededRandom random(3);
  size_t saturated_draws = 0, beyond = 0;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    Random stream = random.stream(static_cast<uint64_t>(i)), again = random.stream(static_cast<uint64_t>(i));
    const int128 exact = wide.exact(stream);
    const int64_t value = wide(again);
    EXPECT_EQ(value, saturated(exact));
    saturated_draws += std::abs(value) == std::numeric_limits<int64_t>::max() ? 1 : 0;
    beyond += exact > (int128{1} << 63) || exact < -(int128{1} << 63) ? 1 : 0;
  }
  EXPECT_EQ(saturated_draws, beyond);
  // Pr[|x| > 2·scale] = e^-2 = 0.135; 5 standard deviations.
  EXPECT_NEAR(static_cast<double>(beyond) / kDraws, std::exp(-2), 5 * std::sqrt(0.117 / kDraws));
}

TEST(DiscreteLaplace, RefusesScalesThatItCannotHold) {
  EXPECT_THROW(DiscreteLaplace(Rational(0)), InvalidInput);
  EXPECT_THROW(DiscreteLaplace(Rational(-1)), InvalidInput);
  EXPECT_THROW(DiscreteLaplace(Rational(mpz_class(1) << 70)), InvalidInput);
}

}  // namespace
}  // namespace dppl
