#include "random/discrete_gaussian.h"

#include <fmt/format.h>

#include "dppl/error.h"

namespace dppl {
namespace {

const Rational& checked_variance(const Rational& variance) {
  if (variance <= 0 || variance > Rational(mpz_class(1) << 80) || variance.get_den() > mpz_class(1) << 40) {
    throw InvalidInput(fmt::format(
        "discrete Gaussian: variance {} must be above 0 and at most 2^80, with a denominator of at most 2^40",
        to_string(variance)));
  }
  return variance;
}

// floor(√variance) + 1
mpz_class proposal_scale(const Rational& variance) { return sqrt(floor(variance)) + 1; }

}  // namespace

DiscreteGaussian::DiscreteGaussian(const Rational& variance)
    : variance_(checked_variance(variance)),
      numerator_(to_int128(variance.get_num())),
      stride_(to_int128(proposal_scale(variance) * variance.get_den())),
      unit_(binary_exponent_unit(1 / (2 * variance * to_mpz(stride_) * to_mpz(stride_)))),
      proposal_(Rational(proposal_scale(variance))) {}

int64_t DiscreteGaussian::operator()(Random& random) const {
  while (true) {
    const int128 candidate = proposal_.exact(random);
    if (accept(random, candidate)) return saturated(candidate);
  }
}

bool DiscreteGaussian::accept(Random& random, int128 proposal) const {
  // γ = (|y| − σ²/t)²/(2σ²). With σ² = a/b and A = |y|·t·b − a: γ = A²/(2σ²·(t·b)²). A is an exact integer,
  // nearly always below 2^127: t·b·|y| is about a·|y|/σ, a < 2^120, and |y| > 2^6·σ has probability e^-64.
  const int128 magnitude = proposal < 0 ? -proposal : proposal;
  int128 a;
  if (__builtin_mul_overflow(magnitude, stride_, &a) || __builtin_sub_overflow(a, numerator_, &a)) {
    const mpz_class stride = to_mpz(stride_), exact = to_mpz(magnitude) * stride - to_mpz(numerator_);
    return is_below_scaled_exp(random, random.next64(), 1, Rational(exact * exact) / (2 * variance_ * stride * stride));
  }
  // Relative error: A to double, its square, the unit and the product: five roundings of 2^-53, below 2^-50.
  const auto rounded = static_cast<double>(a);
  return bernoulli_exp(random, rounded * rounded * unit_, [&]() -> Rational {
    const mpz_class exact = to_mpz(a), stride = to_mpz(stride_);
    return Rational(exact * exact) / (2 * variance_ * stride * stride);
  });
}

}  // namespace dppl
