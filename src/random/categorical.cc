#include "random/categorical.h"

namespace dppl {
namespace {

// Weights are in units of 2^-62 of the largest: below, and below one unit, τ still has a proposal weight of 1.
constexpr int kScaleBits = 62;

Exp2Bounds weight_bounds(double x) {
  const BinaryExponent exponent = split_exponent(x);
  if (exponent.whole >= kScaleBits) return {0, 2};
  const Exp2Bounds bounds = exp2_bounds(exponent.fraction, exponent.slack);  // scale 2^63
  const auto shift = static_cast<int>(exponent.whole) + (63 - kScaleBits);
  return {bounds.lower >> shift, (bounds.upper >> shift) + 1};
}

}  // namespace

size_t categorical_exp(Random& random, std::span<const int64_t> values, const Rational& unit) {
  const int64_t largest = *std::max_element(values.begin(), values.end());
  const double binary_unit = binary_exponent_unit(unit);
  const auto gap = [&](size_t i) { return static_cast<uint64_t>(largest - values[i]); };

  std::vector<uint64_t> weights(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    weights[i] = weight_bounds(static_cast<double>(gap(i)) * binary_unit).upper;
  }
  const Proposal proposal(std::move(weights));
  while (true) {
    const size_t i = proposal.draw(random);
    const Exp2Bounds bounds = weight_bounds(static_cast<double>(gap(i)) * binary_unit);
    if (accept_weight(
            random, bounds.upper, bounds.lower, [] { return Rational(mpz_class(1) << kScaleBits); },
            [&] { return Rational(unit * static_cast<unsigned long>(gap(i))); })) {
      return i;
    }
  }
}

}  // namespace dppl
