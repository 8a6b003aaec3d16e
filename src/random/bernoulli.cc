#include "random/bernoulli.h"

#include "numbers/interval.h"

namespace dppl {

bool bernoulli(Random& random, const Rational& p) { return uniform_below(random, p.get_den()) < p.get_num(); }

bool is_below_scaled_exp(Random& random, uint64_t first_bits, const Rational& factor, const Rational& gamma) {
  mpz_class digits = static_cast<unsigned long>(first_bits);  // U lies in [digits, digits + 1)·2^-count
  for (mp_bitcnt_t count = 64;; count += 64) {
    const Interval threshold = Interval(factor, static_cast<mpfr_prec_t>(count) + 64) *
                               exp(-Interval(gamma, static_cast<mpfr_prec_t>(count) + 64));
    const Interval scaled = scale2(threshold, static_cast<long>(count));
    if (mpfr_cmp_z(scaled.lower(), mpz_class(digits + 1).get_mpz_t()) >= 0) return true;
    if (mpfr_cmp_z(scaled.upper(), digits.get_mpz_t()) <= 0) return false;
    digits <<= 64;
    digits += static_cast<unsigned long>(random.next64());
  }
}

}  // namespace dppl
