#include "random/categorical.h"

namespace dppl {

bool ExpWeights::accept(Random& random, uint64_t weight, uint64_t gap) const {
  return accept_weight(
      random, weight, bounds(gap), [] { return Rational(mpz_class(1) << kScaleBits); },
      [&] { return Rational(unit_ * static_cast<unsigned long>(gap)); });
}

// One more bit than the weight needs: a few roundings of 2^-53 lose less, and where bounds() counts from the integer
// before, that is still kScaleBits.
std::optional<uint64_t> ExpWeights::negligible_gap() const {
  const double gap = (kScaleBits + 1) / binary_unit_;
  if (!(gap < 0x1p63)) return std::nullopt;
  return static_cast<uint64_t>(gap) + 1;
}

size_t categorical_exp(Random& random, std::span<const int64_t> values, const Rational& unit) {
  const int64_t largest = *std::max_element(values.begin(), values.end());
  const ExpWeights exp(unit);
  const auto gap = [&](size_t i) { return static_cast<uint64_t>(largest - values[i]); };

  std::vector<uint64_t> weights(values.size());
  for (size_t i = 0; i < values.size(); ++i) weights[i] = exp.bounds(gap(i)).upper;
  const Proposal proposal(std::move(weights));
  while (true) {
    const size_t i = proposal.draw(random);
    if (exp.accept(random, proposal.weight(i), gap(i))) return i;
  }
}

}  // namespace dppl
