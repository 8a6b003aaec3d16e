#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "dppl/budget.h"
#include "dppl/random.h"

// The only ways in which private data leaves the library. Each takes a budget, spends all of it at once, and returns
// its output with the guarantee that its proof gives (src/mechanisms/*/proof.md). Input that cannot be used is refused
// with InvalidInput before a single random bit is drawn.
namespace dppl {

// Scores of candidates: integers, each the sum over the records of something between 0 and `per_record`. So one record
// more raises every score by 0 … per_record: the scores are monotone with sensitivity per_record. With a budget for
// people the same holds for all records of a person together. The caller answers for this; scores lie in [0, 2^62].
struct Utilities {
  std::span<const int64_t> values;
  int64_t per_record = 1;
};

// Ways to choose one candidate: "exponential", "permute-and-flip", "laplace". The parser throws InvalidInput.
enum class SelectionMechanism { exponential, permute_and_flip, laplace };
std::string_view to_string(SelectionMechanism mechanism);
SelectionMechanism parse_selection_mechanism(std::string_view text);

// Candidate i with probability ∝ exp(ε·u_i/per_record), exactly. ε-DP with ε-bounded range, hence ε²/8-zCDP.
Released<size_t> exponential(Budget budget, Random& random, const Utilities& utilities);

// Scores that are known by upper bounds until they are asked for. What holds for Utilities holds for the scores; the
// bounds decide how many of them are asked for and nothing else.
struct BoundedUtilities {
  std::span<int64_t> upper;  // overwritten by the scores that were asked for
  std::function<void(std::span<const uint32_t> candidates, std::span<int64_t> scores)> evaluate;
  int64_t per_record = 1;
  // Cheaper than evaluate(): better upper bounds for some candidates. May be empty.
  std::function<void(std::span<const uint32_t> candidates, std::span<int64_t> upper)> tighten = {};
  size_t evaluated = 0;  // set by the mechanism
};

// The same law, to the bit, without computing every score.
Released<size_t> lazy_exponential(Budget budget, Random& random, BoundedUtilities& utilities);

// Permute-and-flip (McKenna & Sheldon 2020): ε-DP, ε²/2-zCDP; at equal ε never worse in expected score than
// exponential().
Released<size_t> permute_and_flip(Budget budget, Random& random, const Utilities& utilities);

// The largest score after discrete Laplace noise of scale per_record/ε, the smaller index where equal: ε-DP, ε²/2-zCDP.
Released<size_t> laplace_max(Budget budget, Random& random, const Utilities& utilities);

// A set of k candidates, ascending, with probability ∝ exp(ε·(its smallest score)/per_record), exactly. ε-DP with
// ε-bounded range, hence ε²/8-zCDP, whatever k is.
Released<std::vector<size_t>> joint_top_k(Budget budget, Random& random, const Utilities& utilities, size_t k);

// An exact integer sum of integer vectors, one per record.
struct VectorSum {
  std::span<const int64_t> values;
  NormBound bound;
};

// The sum plus independent discrete Gaussian noise of variance bound.squared/(2ρ) (rounded up): ρ-zCDP. No pure budget.
struct NoisySum {
  std::vector<int64_t> values;
  Rational variance;
};
Released<NoisySum> noisy_sum(Budget budget, Random& random, const VectorSum& sum);

// A number of records (or of people, with a budget for them) plus discrete noise: Laplace for a pure budget (ε-DP),
// Gaussian otherwise (ρ-zCDP).
Released<int64_t> noisy_count(Budget budget, Random& random, int64_t count);

}  // namespace dppl
