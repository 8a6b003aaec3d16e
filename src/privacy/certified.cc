#include "privacy/certified.h"

#include <algorithm>
#include <stdexcept>

#include "privacy/constants.h"

namespace dppl {
namespace {

bool is_tight(const Interval& enclosure) {
  if (mpfr_sgn(enclosure.upper()) <= 0) return true;
  if (mpfr_sgn(enclosure.lower()) <= 0) return false;
  mpfr_t width;
  mpfr_init2(width, 64);
  mpfr_sub(width, enclosure.upper(), enclosure.lower(), MPFR_RNDU);
  const bool tight = mpfr_zero_p(width) != 0 ||
                     (mpfr_number_p(width) != 0 && mpfr_get_exp(width) + kTightness <= mpfr_get_exp(enclosure.lower()));
  mpfr_clear(width);
  return tight;
}

bool is_tiny(mpfr_srcptr end) { return mpfr_sgn(end) > 0 && mpfr_get_exp(end) < kSmallestExponent; }

Rational power_of_two(long exponent) {
  Rational result = 1;
  if (exponent >= 0) {
    mpq_mul_2exp(result.get_mpq_t(), result.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  } else {
    mpq_div_2exp(result.get_mpq_t(), result.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  }
  return result;
}

// Halves the distance until it is lost in the rounding to 18 digits; returns the end that works.
Rational bisect(Rational works, Rational fails, const Holds& holds) {
  const Rational resolution = power_of_two(-62);
  for (int step = 0; step < kMostHalvings; ++step) {
    if (abs(works - fails) <= resolution * std::max(works, fails)) break;
    const Rational middle = (works + fails) / 2;
    (holds(middle) ? works : fails) = middle;
  }
  return works;
}

}  // namespace

Interval refine(const Enclosure& enclosure) {
  Interval result = enclosure(Interval::kDefaultBits);
  for (mpfr_prec_t bits = 2 * Interval::kDefaultBits; bits <= kMaxBits && !is_tight(result); bits *= 2) {
    result = enclosure(bits);
  }
  return result;
}

Rational upper_bound(const Interval& enclosure) {
  if (mpfr_number_p(enclosure.upper()) == 0) throw std::logic_error("upper_bound: the enclosure has no upper end");
  if (mpfr_sgn(enclosure.upper()) <= 0) return 0;
  if (is_tiny(enclosure.upper())) return round_significant(power_of_two(kSmallestExponent), 1, Rounding::up);
  return round_significant(enclosure.upper_rational(), kBoundDigits, Rounding::up);
}

Rational lower_bound(const Interval& enclosure) {
  if (mpfr_number_p(enclosure.lower()) == 0) throw std::logic_error("lower_bound: the enclosure has no lower end");
  if (mpfr_sgn(enclosure.lower()) <= 0 || is_tiny(enclosure.lower())) return 0;
  return round_significant(enclosure.lower_rational(), kBoundDigits, Rounding::down);
}

Rational square_root(const Rational& value, Rounding rounding) {
  if (mpz_perfect_square_p(value.get_num_mpz_t()) != 0 && mpz_perfect_square_p(value.get_den_mpz_t()) != 0) {
    return Rational(sqrt(value.get_num()), sqrt(value.get_den()));
  }
  const Interval root = sqrt(Interval(value));
  return rounding == Rounding::up ? upper_bound(root) : lower_bound(root);
}

Rational smallest_that_holds(const Rational& fails, const Rational& works, const Holds& holds) {
  const Rational found = bisect(works, fails, holds);
  const Rational below = round_significant(found, kBoundDigits, Rounding::down);
  return holds(below) ? below : round_significant(found, kBoundDigits, Rounding::up);
}

Rational largest_that_holds(const Rational& works, const Rational& fails, const Holds& holds) {
  const Rational found = bisect(works, fails, holds);
  const Rational above = round_significant(found, kBoundDigits, Rounding::up);
  return holds(above) ? above : round_significant(found, kBoundDigits, Rounding::down);
}

Rational step_down_until(Rational value, const Holds& holds) {
  Rational step = value * power_of_two(-60);
  for (; value > 0 && !holds(value); step *= 2) {
    value = value > step ? round_significant(value - step, kBoundDigits, Rounding::down) : Rational(0);
  }
  return value;
}

Rational turning_point(const Holds& is_above) {
  long below = -8192, above = 8192;
  while (above - below > 1) {
    const long middle = (above + below) / 2;
    (is_above(power_of_two(middle)) ? above : below) = middle;
  }
  return bisect(power_of_two(above), power_of_two(below), is_above);
}

Interval log_inverse(const Rational& delta, mpfr_prec_t bits) {
  if (delta < Rational(1, 2)) return -log(Interval(delta, bits));
  return -log1p(Interval(Rational(delta - 1), bits));
}

}  // namespace dppl
