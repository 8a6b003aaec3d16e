#include "numbers/exp2_bounds.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>

#include "dppl/random.h"

namespace dppl {
namespace {

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

}  // namespace
}  // namespace dppl
