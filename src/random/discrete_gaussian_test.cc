#include "random/discrete_gaussian.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "dppl/error.h"
#include "numbers/interval.h"
#include "support/checks.h"
#include "support/exact_coin.h"
#include "support/statistics.h"

// Against its exact probabilities by chi-square at α = 1e-6 (tests/support/statistics.h). The seeds are fixed, so a
// failure is a change of behaviour and not bad luck. Power: the same draws must be rejected against a scale 10% off.
namespace dppl {
namespace {

using testing::Cells;
using testing::expect_exact;
using testing::kAlpha;
using testing::make_cells;
using testing::p_value;

// For σ >= 1000 the sum over the integers of a cell is the integral to their outer halves, within a relative 1/(24σ²) <
// 1e-6.
Cells wide_gaussian_cells(double sigma, size_t cells) {
  const boost::math::normal normal(0, sigma);
  Cells result;
  double below = 0;
  for (size_t i = 1; i < cells; ++i) {
    result.edges.push_back(std::llround(quantile(normal, static_cast<double>(i) / static_cast<double>(cells))));
    const double up_to = cdf(normal, static_cast<double>(result.edges.back()) - 0.5);
    result.probabilities.push_back(up_to - below);
    below = up_to;
  }
  result.probabilities.push_back(1 - below);
  return result;
}

Cells gaussian_cells(double sigma, size_t cells) {
  if (sigma >= 900) return wide_gaussian_cells(sigma, cells);
  return make_cells(static_cast<int64_t>(12 * sigma) + 12, cells, [=](int64_t x) {
    const auto y = static_cast<long double>(x);
    return std::exp(-y * y / (2.0L * sigma * sigma));
  });
}

TEST(DiscreteGaussian, MatchesItsProbabilities) {
  // n = 300,000, cells of equal probability, σ·0.9 and σ·1.1 rejected.
  SeededRandom random(10);
  for (const double sigma : {0.25, 0.5, 1.0, 2.5, 50.0, 1000.0, 0x1p20}) {
    const DiscreteGaussian sampler{Rational(sigma * sigma)};
    const auto draw = [&] { return sampler(random); };
    EXPECT_GT(p_value(gaussian_cells(sigma, 60), 300000, draw), kAlpha) << sigma;
    EXPECT_LT(p_value(gaussian_cells(0.9 * sigma, 60), 300000, draw), kAlpha) << sigma << ": no power";
    EXPECT_LT(p_value(gaussian_cells(1.1 * sigma, 60), 300000, draw), kAlpha) << sigma << ": no power";
  }
}

TEST(DiscreteGaussian, TailsBeyondThreeSigma) {
  // n = 2,000,000 with σ = 10: about 5,400 draws beyond 3σ and 130 beyond 4σ, each integer a cell of its own.
  SeededRandom random(11);
  const DiscreteGaussian sampler{Rational(100)};
  const Cells every = make_cells(130, 1u << 20, [](int64_t x) {
    const auto z = static_cast<long double>(x) / 10;
    return std::exp(-z * z / 2);
  });
  EXPECT_GT(p_value(every, 2000000, [&] { return sampler(random); }), kAlpha);
}

TEST(DiscreteGaussian, LowDigitsAreFullyRandom) {
  // With σ = 2^35 the last three binary digits are uniform up to exp(−2π²σ²/64). Noise computed in single precision
  // fails this.
  SeededRandom random(12);
  const DiscreteGaussian sampler{Rational(mpz_class(1) << 70)};
  EXPECT_TRUE(testing::low_digits_are_random([&] { return sampler(random); }));
}

// Variances for which the acceptance of a proposal has an exponent next to an integer, on both sides of it.
TEST(DiscreteGaussian, AcceptsExactlyOnBothSidesOfEveryIntegerExponent) {
  const mpz_class grain = mpz_class(1) << 40;
  const Interval ln2 = log(Interval(2L, 512));
  for (const unsigned long bits : {8ul, 12ul, 20ul, 30ul}) {
    const mpz_class root = (mpz_class(1) << bits) + 3, scale = root + 1;  // of the variances root² … (root + 1)² − 1
    for (long k = 1; k <= 40; k += bits > 12 ? 1 : 3) {
      const auto gamma = [&](const mpz_class& numerator, const mpz_class& y) {
        const Rational variance(Rational(numerator) / Rational(grain)), away(y - variance / scale);
        return Rational(away * away / (2 * variance));
      };
      const auto beyond = [&](const mpz_class& numerator, const mpz_class& y) {
        return gamma(numerator, y) >= (Interval(k, 512) * ln2).upper_rational();
      };
      mpz_class low = (root * root + 1) * grain, high = (root * root + 2 * root) * grain;
      const Interval away = sqrt(Interval(2 * k, 512) * ln2) * Interval(Rational(root), 512);
      const mpz_class y = root + 1 + floor(away.upper_rational());
      if (!beyond(low, y) || beyond(high, y)) continue;
      while (high - low > 1) {
        const mpz_class middle = (low + high) / 2;
        (beyond(middle, y) ? low : high) = middle;
      }
      for (int step = -2; step <= 2; ++step) {
        const mpz_class numerator = low + step;
        const DiscreteGaussian sampler(Rational(numerator) / Rational(grain));
        const auto proposal = static_cast<int64_t>(y.get_si());
        expect_exact([&](Random& random) { return sampler.accept(random, proposal); }, gamma(numerator, y));
        expect_exact([&](Random& random) { return sampler.accept(random, -proposal); }, gamma(numerator, y));
      }
    }
  }
}

TEST(DiscreteGaussian, RefusesVariancesThatItCannotHold) {
  EXPECT_THROW(DiscreteGaussian(Rational(0)), InvalidInput);
  EXPECT_THROW(DiscreteGaussian(Rational(-1)), InvalidInput);
  EXPECT_THROW(DiscreteGaussian(Rational(mpz_class(1) << 81)), InvalidInput);
  EXPECT_THROW(DiscreteGaussian(Rational(1, mpz_class(1) << 41)), InvalidInput);
}

}  // namespace
}  // namespace dppl
