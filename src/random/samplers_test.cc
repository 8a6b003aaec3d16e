#include <gtest/gtest.h>

#include <boost/math/distributions/laplace.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "dppl/error.h"
#include "numbers/interval.h"
#include "random/categorical.h"
#include "random/chacha_stream.h"
#include "random/discrete_gaussian.h"
#include "support/checks.h"
#include "support/statistics.h"

// Every sampler against its exact probabilities by chi-square at α = 1e-6 (tests/support/statistics.h). The seeds are
// fixed, so a failure is a change of behaviour and not bad luck. Power: the same draws must be rejected against a scale
// 10% off.
namespace dppl {
namespace {

using testing::Cells;
using testing::chi_square_p_value;
using testing::count_draws;
using testing::kAlpha;
using testing::make_cells;
using testing::p_value;

TEST(Exp2Bounds, ContainTheExactValue) {
  SeededRandom random(1);
  for (int i = 0; i < 20000; ++i) {
    // Dense, sparse and boundary fractions.
    uint64_t fraction = random.next64() & (i % 3 == 0 ? random.next64() & random.next64() : ~uint64_t{0});
    if (i < 256) fraction = static_cast<uint64_t>(i) << 56;
    if (i >= 256 && i < 512) fraction = (static_cast<uint64_t>(i) << 48) - 1;
    const Exp2Bounds bounds = exp2_bounds(fraction, 0);
    mpfr_t value;
    mpfr_init2(value, 256);
    mpfr_set_uj_2exp(value, fraction, -64, MPFR_RNDN);
    mpfr_neg(value, value, MPFR_RNDN);
    mpfr_exp2(value, value, MPFR_RNDN);
    mpfr_mul_2ui(value, value, 63, MPFR_RNDN);
    EXPECT_LE(mpfr_cmp_ui(value, bounds.upper), 0) << fraction;
    EXPECT_GE(mpfr_cmp_ui(value, bounds.lower), 0) << fraction;
    mpfr_clear(value);
    EXPECT_LE(bounds.upper - bounds.lower, 32u);
  }
}

TEST(Exp2Bounds, SplitKeepsTheExponentWithinItsSlack) {
  SeededRandom random(2);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::ldexp(static_cast<double>(random.next64()), static_cast<int>(random.next64() % 100) - 124);
    const BinaryExponent split = split_exponent(x);
    if (x >= kLargestExponent) {
      EXPECT_EQ(split.whole, kLargestWhole);
      continue;
    }
    // The smallest exponent that x can stand for.
    EXPECT_LE(Rational(static_cast<unsigned long>(split.whole)), Rational(x) * (1 - Rational(1, mpz_class(1) << 48)))
        << x;
    const Rational kept = Rational(static_cast<unsigned long>(split.whole)) +
                          Rational(mpz_class(static_cast<unsigned long>(split.fraction)), mpz_class(1) << 64);
    const Rational error = abs(Rational(x) - kept) + Rational(x) / (mpz_class(1) << 48);
    EXPECT_LE(error, Rational(mpz_class(static_cast<unsigned long>(split.slack)), mpz_class(1) << 64)) << x;
  }
}

// Words that a test chooses, first to last.
class ScriptedRandom : public Random {
 public:
  explicit ScriptedRandom(const std::vector<uint64_t>& words)
      : ScriptedRandom(words, std::make_shared<ChaChaStream>()) {}

  // Whether more words were drawn than there are.
  bool exhausted() const { return stream_.next < begin_; }
  size_t drawn() const { return static_cast<size_t>(stream_.next - begin_); }

 private:
  ScriptedRandom(const std::vector<uint64_t>& words, const std::shared_ptr<ChaChaStream>& stream)
      : Random(stream), stream_(*stream), begin_(stream->buffer + ChaChaStream::kWords - words.size()) {
    std::copy(words.begin(), words.end(), stream->buffer + ChaChaStream::kWords - words.size());
    stream->next = begin_;
    stream->end = stream->buffer + ChaChaStream::kWords;
  }

  const ChaChaStream& stream_;
  const uint64_t* const begin_;
};

using Coin = std::function<bool(Random&)>;
enum class Answer { yes, no, undecided };

Answer answer(const Coin& coin, const std::vector<uint64_t>& words) {
  ScriptedRandom random(words);
  const bool yes = coin(random);
  if (random.exhausted()) return Answer::undecided;
  return yes ? Answer::yes : Answer::no;
}

// The smallest word of 64 bits for which `holds` (which then holds for all above it); 2^64 when for none.
template <typename Holds>
mpz_class first_word(Holds holds) {
  mpz_class low = 0, high = mpz_class(1) << 64;
  while (low < high) {
    const mpz_class middle = (low + high) / 2;
    if (holds(uint64_t{middle.get_ui()})) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// Walks all that a coin can do with its random words, and shows that it says yes with probability exp(−γ), exactly.
// `passing` of the 2^64 first words (all, where the coin looks at none) lead on; the next word says yes below `yes`, no
// from `no` on, and in between the rest of the digits are compared with a number E exactly. So the probability is
// passing·E/2^128, if yes <= E <= no; and E must be 2^128·exp(−γ)/passing.
void expect_exact(const Coin& coin, const Rational& gamma) {
  const mpz_class all = mpz_class(1) << 64;
  ScriptedRandom look({0, 0});
  coin(look);
  const bool has_gate = look.exhausted() || look.drawn() == 2;
  mpz_class passing = all;
  if (has_gate) {
    passing = first_word([&](uint64_t word) {
      ScriptedRandom random({word, 0});
      coin(random);
      return !random.exhausted() && random.drawn() == 1;
    });
  }
  const auto then = [&](const std::vector<uint64_t>& words) {
    std::vector<uint64_t> script(has_gate ? 1 : 0);
    script.insert(script.end(), words.begin(), words.end());
    return answer(coin, script);
  };
  const mpz_class yes = first_word([&](uint64_t word) { return then({word}) != Answer::yes; });
  const mpz_class no = first_word([&](uint64_t word) { return then({word}) == Answer::no; });
  const Interval scaled = scale2(exp(-Interval(gamma, 512)), 128) / Interval(Rational(passing), 512);
  const Rational low = scaled.lower_rational(), high = scaled.upper_rational();
  const std::string told = fmt::format("exp(-{}), {:.20f} of a bit", to_string(gamma), gamma.get_d() / std::log(2.0));
  EXPECT_LE(high, Rational(all)) << told << ": more words would have to pass";
  EXPECT_LE(Rational(yes), low) << told;
  EXPECT_LE(high, Rational(no)) << told;
  // The exact comparison, next to where it turns.
  const mpz_class turn = floor(low);
  if (turn >= all || turn != floor(high) || Rational(turn) == low) return;
  if (turn < yes || turn >= no) return;
  for (const bool above : {false, true}) {
    std::vector<uint64_t> digits(40, above ? ~uint64_t{0} : 0);  // enough for whatever lies next to an integer
    digits[0] = turn.get_ui();
    EXPECT_EQ(then(digits), above ? Answer::no : Answer::yes) << told;
  }
}

// k·ln 2 rounded down and up to a multiple of 2^-bits.
std::pair<Rational, Rational> around_integer(long k, unsigned long bits) {
  const Interval scaled = scale2(Interval(k, 1024) * log(Interval(2L, 1024)), static_cast<long>(bits));
  const mpz_class below = floor(scaled.lower_rational());
  const mpz_class scale = mpz_class(1) << bits;
  return {Rational(below) / Rational(scale), Rational(below + 1) / Rational(scale)};
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

TEST(DiscreteSamplers, RefuseParametersTheyCannotHold) {
  EXPECT_THROW(DiscreteLaplace(Rational(0)), InvalidInput);
  EXPECT_THROW(DiscreteLaplace(Rational(-1)), InvalidInput);
  EXPECT_THROW(DiscreteLaplace(Rational(mpz_class(1) << 70)), InvalidInput);
  EXPECT_THROW(DiscreteGaussian(Rational(0)), InvalidInput);
  EXPECT_THROW(DiscreteGaussian(Rational(-1)), InvalidInput);
  EXPECT_THROW(DiscreteGaussian(Rational(mpz_class(1) << 81)), InvalidInput);
  EXPECT_THROW(DiscreteGaussian(Rational(1, mpz_class(1) << 41)), InvalidInput);
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
