#include "numbers/exp2_bounds.h"

#include <algorithm>

#include "numbers/interval.h"

namespace dppl {
namespace detail {

Exp2Tables::Exp2Tables() {
  mpfr_t value;
  mpfr_init2(value, 128);
  const auto entry = [&value](int i, int bits) {
    mpfr_set_si_2exp(value, -i, -bits, MPFR_RNDN);
    mpfr_exp2(value, value, MPFR_RNDD);
    mpfr_mul_2ui(value, value, 63, MPFR_RNDD);
    return static_cast<uint64_t>(mpfr_get_uj(value, MPFR_RNDD));
  };
  for (int i = 0; i < 256; ++i) {
    coarse[i] = entry(i, 8);
    fine[i] = entry(i, 16);
  }
  mpfr_clear(value);
}

const Exp2Tables exp2_tables;

}  // namespace detail

double binary_exponent_unit(const Rational& unit) {
  static const Interval ln2 = log(Interval(2L));
  const Interval factor = Interval(unit) / ln2;
  // Beyond all doubles the largest does: 0 times it is 0, and every other multiple is cut by split_exponent().
  return std::min(mpfr_get_d(factor.lower(), MPFR_RNDN), std::numeric_limits<double>::max());
}

}  // namespace dppl
