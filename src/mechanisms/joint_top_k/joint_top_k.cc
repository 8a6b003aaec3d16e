#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "dppl/error.h"
#include "mechanisms/joint_top_k/ranking.h"
#include "mechanisms/utilities.h"
#include "random/categorical.h"

namespace dppl {
namespace {

// The rank y (1-based) of a set's worst member has the weight τ_y = C(y−1, K−1)·exp(−unit·(u_(K) − u_(y))). These are
// upper bounds on τ_y·2^scale in 64 bits, with the lower bounds that the acceptance step wants.
class RankWeights {
 public:
  RankWeights(std::span<const int64_t> scores, std::span<const uint32_t> order, size_t k, const Rational& unit)
      : scores_(scores), order_(order), k_(k), unit_(unit), binary_unit_(binary_exponent_unit(unit)) {
    choose_.reserve(order.size() - k + 1);
    // C(y, K−1) = C(y−1, K−1)·y/(y−K+1). Three roundings a step, each a factor within 1 ± 2^-53, against a factor 1 +
    // 2^-50 on top: `mantissa` stays above the true value, by less than a factor 1 + 2^-48 a step.
    Choose choose{1.0, 0};
    for (size_t y = k; y <= order.size(); ++y) {
      choose_.push_back(choose);
      choose.mantissa *= static_cast<double>(y) / static_cast<double>(y - k + 1) * (1 + 0x1p-50);
      while (choose.mantissa >= 2) {
        choose.mantissa *= 0.5;
        ++choose.exponent;
      }
    }
    for (size_t y = k; y <= order.size(); ++y) top_ = std::max(top_, binary_magnitude(y));
  }

  uint64_t gap(size_t y) const { return static_cast<uint64_t>(scores_[order_[k_ - 1]] - scores_[order_[y - 1]]); }

  // Bounds on τ_y·2^scale(). The largest is about 2^61, so that sums of 2^32 fit 128 bits.
  Exp2Bounds bounds(size_t y) const {
    const BinaryExponent exponent = exponent_of(y);
    const int64_t shift = top_ - binary_magnitude(y);
    if (shift >= 63 || exponent.whole >= kFarAway) return {0, 2};
    const Choose& choose = choose_[y - k_];
    const Exp2Bounds exp = exp2_bounds(exponent.fraction, exponent.slack);  // scale 2^63
    // mantissa < 2 and exp.upper <= 2^63 + 2^57, so the product is below 2^65 and a quarter of it fits; the cast of an
    // integer to double and the product round by less than the factor.
    const double upper = choose.mantissa * static_cast<double>(exp.upper) * (1 + 0x1p-50);
    const double loss = static_cast<double>(y - k_ + 4) * 0x1p-48;
    const double lower = choose.mantissa * static_cast<double>(exp.lower) * std::max(0.0, 1 - loss);
    return {static_cast<uint64_t>(lower * 0.25) >> shift, (static_cast<uint64_t>(upper * 0.25) >> shift) + 2};
  }

  // bounds() are on τ_y times this.
  Rational scale() const {
    const int64_t exponent = 61 - top_;
    const mpz_class power = mpz_class(1) << static_cast<unsigned long>(std::abs(exponent));
    return exponent >= 0 ? Rational(power) : Rational(1, power);
  }

  // Accepts y with probability τ_y·scale/bounds(y).upper, exactly.
  bool accept(Random& random, size_t y) const {
    const Exp2Bounds weight = bounds(y);
    return accept_weight(
        random, weight.upper, weight,
        [&] {
          mpz_class sets;
          mpz_bin_uiui(sets.get_mpz_t(), y - 1, k_ - 1);
          return Rational(scale() * sets);
        },
        [&] { return Rational(unit_ * static_cast<unsigned long>(gap(y))); });
  }

 private:
  struct Choose {
    double mantissa;  // in [1, 2)
    int64_t exponent;
  };
  // Where split_exponent saturates, τ_y <= 2^(2^32 − 2^40 + 1), because there are fewer than 2^32 candidates; and rank
  // K alone has τ_K = 1. So the smallest weight is more than enough.
  static constexpr uint64_t kFarAway = kLargestWhole;

  BinaryExponent exponent_of(size_t y) const { return split_exponent(static_cast<double>(gap(y)) * binary_unit_); }
  int64_t binary_magnitude(size_t y) const {
    return choose_[y - k_].exponent - static_cast<int64_t>(exponent_of(y).whole);
  }

  std::span<const int64_t> scores_;
  std::span<const uint32_t> order_;
  size_t k_;
  Rational unit_;
  double binary_unit_;
  std::vector<Choose> choose_;
  int64_t top_ = std::numeric_limits<int64_t>::min();
};

// A uniformly random set of `count` ranks out of 1 … `below` (Floyd's algorithm: `count` draws).
std::vector<size_t> uniform_subset(Random& random, size_t below, size_t count) {
  std::unordered_set<size_t> chosen;
  for (size_t last = below - count + 1; last <= below; ++last) {
    const size_t candidate = 1 + static_cast<size_t>(uniform_below(random, uint64_t{last}));
    if (!chosen.insert(candidate).second) chosen.insert(last);
  }
  return {chosen.begin(), chosen.end()};
}

}  // namespace

Released<std::vector<size_t>> joint_top_k(Budget budget, Random& random, const Utilities& utilities, size_t k) {
  check_utilities(utilities, budget);
  const size_t candidates = utilities.values.size();
  if (k == 0 || k > candidates) {
    throw InvalidInput(
        fmt::format("joint top-K: K is {}; it must be between 1 and the number of candidates, {}", k, candidates));
  }
  const Rational epsilon = budget.bounded_range_epsilon();
  const std::vector<uint32_t> order = rank_by_score(utilities.values);
  const RankWeights ranks(utilities.values, order, k, epsilon / Rational(utilities.per_record));

  std::vector<uint64_t> weights(candidates - k + 1);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = ranks.bounds(k + i).upper;
  const Proposal proposal(std::move(weights));
  size_t worst;
  do {
    worst = k + proposal.draw(random);
  } while (!ranks.accept(random, worst));

  std::vector<size_t> chosen = uniform_subset(random, worst - 1, k - 1);
  chosen.push_back(worst);
  for (size_t& rank : chosen) rank = order[rank - 1];
  std::sort(chosen.begin(), chosen.end());
  return {std::move(chosen), drawn_from(random, Guarantee::of_bounded_range(epsilon, budget.spec().relation))};
}

}  // namespace dppl
