#include "random/bernoulli.h"

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
using testing::expect_exact;
using testing::kAlpha;

TEST(Bernoulli, RationalProbabilities) {
  SeededRandom random(5);
  for (const auto& fraction : {std::pair{1ul, 3ul}, {999ul, 1000ul}, {1ul, 1000ul}}) {
    const unsigned long top = fraction.first, bottom = fraction.second;
    const double p = static_cast<double>(top) / static_cast<double>(bottom);
    const auto once = count_draws(300000, 2, [&] { return size_t{bernoulli(random, top, bottom)}; });
    EXPECT_GT(chi_square_p_value(once, {1 - p, p}), kAlpha);
    const auto again = count_draws(300000, 2, [&] { return size_t{bernoulli(random, Rational(top, bottom))}; });
    EXPECT_GT(chi_square_p_value(again, {1 - p, p}), kAlpha);
  }
}

TEST(BernoulliExp, IsExactOnBothSidesOfEveryIntegerExponent) {
  const auto check = [](const Rational& unit, uint64_t n) {
    const BernoulliExp coin(unit);
    expect_exact([&](Random& random) { return coin(random, n); }, unit * Rational(static_cast<unsigned long>(n)));
  };
  // The double is 3, the exponent 3 − 1.2e-18.
  check(Rational(1, mpz_class(5000) << 43), 91454806174297254);
  for (long k = 1; k <= 70; ++k) {
    for (const unsigned long bits : {40ul, 50ul, 52ul, 55ul, 60ul, 64ul, 100ul, 300ul}) {
      const auto [below, above] = around_integer(k, bits);
      check(below, 1);
      check(above, 1);
      // The same as multiples of a small unit.
      if (bits > 55) continue;
      const Rational unit(1, mpz_class(1) << bits);
      check(unit, mpz_class(below / unit).get_ui());
      check(unit, mpz_class(above / unit).get_ui());
    }
    // A unit that no double holds.
    const Rational third(1, 3 * (mpz_class(1) << 50));
    const mpz_class n = floor(around_integer(k, 300).first / third);
    for (int step = -1; step <= 2; ++step) check(third, mpz_class(n + step).get_ui());
  }
  for (const char* gamma : {"0", "1e-30", "0.001", "1/3", "0.7", "2.5", "17/3", "44.3", "44.4", "45", "88.72", "1000"})
    check(parse_rational(gamma, "gamma"), 1);
}

TEST(BernoulliExp, MatchesExpFromTinyToLargeExponents) {
  // n = 1,000,000 a value: an exponent 10% off moves the rarer outcome by 10 standard deviations or more, but for γ = 9
  // by 6.
  SeededRandom random(6);
  for (const char* text : {"0.01", "0.25", "1", "2.5", "6", "9"}) {
    const Rational gamma = parse_rational(text, "gamma");
    const BernoulliExp coin(gamma);
    const double p = std::exp(-gamma.get_d());
    const auto counts = count_draws(1000000, 2, [&] { return size_t{coin(random, 1)}; });
    EXPECT_GT(chi_square_p_value(counts, {1 - p, p}), kAlpha) << text;
    const double wrong = std::exp(-1.1 * gamma.get_d());
    EXPECT_LT(chi_square_p_value(counts, {1 - wrong, wrong}), kAlpha) << text << ": no power";
  }
  const BernoulliExp never(1000), always(0);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(never(random, 1));
    EXPECT_TRUE(always(random, 12345));
  }
}

// The slow path on its own: the fast one calls it about once in 2^40 draws, so a test of the whole would never see it.
TEST(BernoulliExp, TheCertifiedFallbackHasTheSameLaw) {
  SeededRandom random(7);
  const Rational gamma(3, 2), factor(5, 4);
  const double p = 1.25 * std::exp(-1.5);
  const auto counts =
      count_draws(100000, 2, [&] { return size_t{is_below_scaled_exp(random, random.next64(), factor, gamma)}; });
  EXPECT_GT(chi_square_p_value(counts, {1 - p, p}), kAlpha);
}

// Adversarial first digits: those of exp(−γ) itself, so that 64 digits never decide and further digits must.
TEST(BernoulliExp, TheFallbackDrawsMoreDigitsWhenTheFirstDoNotDecide) {
  SeededRandom random(8);
  const Rational gamma(1, 3);
  const Interval scaled = scale2(exp(-Interval(gamma, 256)), 64);
  const mpz_class digits = floor(scaled.lower_rational());
  const double rest =
      Rational(scaled.lower_rational() - digits).get_d();  // the next digits decide with this probability
  const auto counts =
      count_draws(50000, 2, [&] { return size_t{is_below_scaled_exp(random, digits.get_ui(), 1, gamma)}; });
  EXPECT_GT(chi_square_p_value(counts, {1 - rest, rest}), kAlpha);
}

}  // namespace
}  // namespace dppl
