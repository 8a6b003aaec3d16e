#include "numbers/interval.h"

namespace dppl {

Interval normal_cdf(const Interval& x) {
  // Φ(x) = erfc(−x/√2)/2. MPFI has no erfc; MPFR's is correctly rounded and decreasing, so each end is one call.
  Interval argument = -x / sqrt(Interval(2L, x.bits()));
  Interval result = argument;
  mpfr_erfc(&result.value_->left, argument.upper(), MPFR_RNDD);
  mpfr_erfc(&result.value_->right, argument.lower(), MPFR_RNDU);
  return scale2(std::move(result), -1);
}

}  // namespace dppl
