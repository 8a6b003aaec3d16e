#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "random/bernoulli.h"

namespace dppl {

// A categorical distribution whose probabilities are real numbers, sampled exactly: propose in integers, accept
// exactly.
//
// The target gives index i the weight τ_i (a real number). Each has an integer weight W_i >= τ_i, W_i > 0. Propose i
// with probability W_i/ΣW; accept it with probability τ_i/W_i, else start again. Each round accepts i with probability
// τ_i/ΣW, so the accepted index has probability τ_i/Στ exactly, however loose the W_i are; they only cost rounds.
class Proposal {
 public:
  explicit Proposal(std::vector<uint64_t> weights) : weights_(std::move(weights)) {
    for (size_t begin = 0; begin < weights_.size(); begin += kBlock) {
      const size_t end = std::min(begin + kBlock, weights_.size());
      for (size_t i = begin; i < end; ++i) total_ += weights_[i];
      cumulative_.push_back(total_);
    }
  }

  uint64_t weight(size_t i) const { return weights_[i]; }
  uint128 total() const { return total_; }

  size_t draw(Random& random) const { return locate(uniform_below(random, total_)); }

  // The index in whose weight this position lies, where they lie one behind the other. Precondition: below the total.
  size_t locate(uint128 rest) const {
    const auto block =
        static_cast<size_t>(std::upper_bound(cumulative_.begin(), cumulative_.end(), rest) - cumulative_.begin());
    if (block > 0) rest -= cumulative_[block - 1];
    size_t i = block * kBlock;
    for (; rest >= weights_[i]; ++i) rest -= weights_[i];
    return i;
  }

 private:
  static constexpr size_t kBlock = 64;
  std::vector<uint64_t> weights_;
  std::vector<uint128> cumulative_;  // after each block
  uint128 total_ = 0;
};

// True with probability τ/weight, where τ = factor·exp(−γ) <= weight lies within `bounds`. `exact_factor` and
// `exact_gamma` are called only when the 64-bit comparisons cannot decide.
template <typename ExactFactor, typename ExactGamma>
bool accept_weight(Random& random, uint64_t weight, Exp2Bounds bounds, ExactFactor exact_factor,
                   ExactGamma exact_gamma) {
  const uint64_t first = random.next64();
  if ((static_cast<uint128>(first) + 1) * weight <= static_cast<uint128>(bounds.lower) << 64) return true;
  if (static_cast<uint128>(first) * weight >= static_cast<uint128>(bounds.upper) << 64) return false;
  return is_below_scaled_exp(random, first, Rational(exact_factor()) / Rational(static_cast<unsigned long>(weight)),
                             exact_gamma());
}

// Weights exp(−unit·gap), gap >= 0 an integer, on a scale where the largest is 2^kScaleBits: certified integer bounds
// for proposals, and the exact decision.
class ExpWeights {
 public:
  explicit ExpWeights(const Rational& unit) : unit_(unit), binary_unit_(binary_exponent_unit(unit)) {}

  // lower <= 2^kScaleBits·exp(−unit·gap) <= upper; upper > 0.
  Exp2Bounds bounds(uint64_t gap) const {
    const BinaryExponent exponent = split_exponent(static_cast<double>(gap) * binary_unit_);
    // A weight of at most one unit, since `whole` is certain, still has a proposal.
    if (exponent.whole >= kScaleBits) return {0, kSmallest};
    const Exp2Bounds scaled = exp2_bounds(exponent.fraction, exponent.slack);  // scale 2^63
    const auto shift = static_cast<int>(exponent.whole) + (63 - kScaleBits);
    return {scaled.lower >> shift, (scaled.upper >> shift) + 1};
  }
  // True with probability 2^kScaleBits·exp(−unit·gap)/weight. Precondition: that is at most 1.
  bool accept(Random& random, uint64_t weight, uint64_t gap) const;
  // From this gap on the weight is at most 1 and bounds().upper is kSmallest; none where no gap of 63 bits is so large.
  std::optional<uint64_t> negligible_gap() const;

  static constexpr int kScaleBits = 62;
  static constexpr uint64_t kSmallest = 2;

 private:
  Rational unit_;
  double binary_unit_;
};

// An index i with probability ∝ exp(unit·values[i]), exactly. Preconditions: not empty, unit >= 0, differences fit 63
// bits.
size_t categorical_exp(Random& random, std::span<const int64_t> values, const Rational& unit);

}  // namespace dppl
