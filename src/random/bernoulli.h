#pragma once

#include <algorithm>
#include <cstdint>

#include "dppl/random.h"
#include "numbers/exp2_bounds.h"
#include "random/uniform.h"

namespace dppl {

// True with probability numerator/denominator, exactly. Precondition: numerator <= denominator, denominator > 0.
inline bool bernoulli(Random& random, uint64_t numerator, uint64_t denominator) {
  return uniform_below(random, denominator) < numerator;
}
// Precondition: 0 <= p <= 1.
bool bernoulli(Random& random, const Rational& p);

// Whether U < factor·exp(−γ), where U is uniform on [0, 1), its first 64 binary digits are `first_bits`, and the rest
// are drawn as they are needed: digits and interval precision grow until the comparison is certain.
bool is_below_scaled_exp(Random& random, uint64_t first_bits, const Rational& factor, const Rational& gamma);

// True with probability exp(−γ), exactly, where `x` is γ·log2(e) within a relative error of 2^-48 and `exact()` returns
// γ itself as a Rational. The double decides only where its certified bounds do; `exact` is called about once in 2^40
// draws.
//
// U < exp(−γ) asks for leading zeros: exp(−γ) <= 2^-zeros for certain (split_exponent), so the first `zeros` digits of
// U must be zero, and the rest U' must be below 2^zeros·exp(−γ) <= 1.
template <typename Exact>
bool bernoulli_exp(Random& random, double x, Exact exact) {
  constexpr uint64_t kDigits = 64;
  const BinaryExponent exponent = split_exponent(x);
  const uint64_t zeros = std::min(exponent.whole, kDigits);
  if (zeros > 0 && random.next64() >> (kDigits - zeros) != 0) return false;
  const uint64_t first = random.next64();
  if (exponent.whole < kDigits) [[likely]] {
    const Exp2Bounds bounds = exp2_bounds(exponent.fraction, exponent.slack);
    if (first / 2 + 1 <= bounds.lower) return true;
    if (first / 2 >= bounds.upper) return false;
  }
  return is_below_scaled_exp(random, first, mpz_class(1) << zeros, exact());
}

// Bernoulli(exp(−n·unit)) for integers n.
class BernoulliExp {
 public:
  // Precondition: unit >= 0.
  explicit BernoulliExp(const Rational& unit) : unit_(unit), binary_unit_(binary_exponent_unit(unit)) {}

  bool operator()(Random& random, uint64_t n) const {
    return bernoulli_exp(random, static_cast<double>(n) * binary_unit_,
                         [&] { return Rational(unit_ * static_cast<unsigned long>(n)); });
  }

 private:
  Rational unit_;
  double binary_unit_;
};

}  // namespace dppl
