#include "mechanisms/laplace_noise.h"

#include <fmt/format.h>

#include "dppl/error.h"

namespace dppl {

Rational laplace_scale(int64_t sensitivity, const Rational& epsilon) {
  constexpr unsigned kBits = 60;
  const Rational exact = Rational(sensitivity) / epsilon;
  const mpz_class limit = mpz_class(1) << kBits;
  if (exact.get_num() < limit && exact.get_den() < limit) return exact;
  if (exact >= limit / 2) {
    throw InvalidInput(fmt::format("Laplace noise: a scale of {} is too large; use a larger budget or a coarser grid",
                                   to_decimal(exact, 3, Rounding::up)));
  }
  // As many binary digits as fit, rounded up.
  const size_t whole_bits = mpz_sizeinbase(ceil(exact).get_mpz_t(), 2);
  const mpz_class unit = mpz_class(1) << (kBits - 1 - static_cast<unsigned>(whole_bits));
  Rational rounded(ceil(exact * unit), unit);
  rounded.canonicalize();
  return rounded;
}

}  // namespace dppl
