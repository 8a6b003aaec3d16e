#include "audit/games.h"

#include <array>

#include "dppl/mechanisms.h"
#include "random/categorical.h"
#include "random/discrete_gaussian.h"

namespace dppl {
namespace {

// Selection: one record raises the score of candidate 0, which is rare, by all it can, and no other. Then the log-ratio
// of candidate 0 comes close to ε: ε − ln(1 + p(e^ε − 1)) for a candidate of probability p.
constexpr int64_t kPerRecord = 100;
using Inputs = std::array<std::vector<int64_t>, 2>;
const Inputs kScores{std::vector<int64_t>{0, 300, 250, 0}, std::vector<int64_t>{kPerRecord, 300, 250, 0}};
const char* const kOneRaised = "one record raises the score of a rare candidate by all it may, and no other's";

const Rational kEpsilon = 1;
const Rational kRho(1, 2);

Budget pure_budget() { return Budget::unledgered(BudgetSpec::pure(kEpsilon)); }
Budget zcdp_budget() { return Budget::unledgered(BudgetSpec::zcdp(kRho)); }
Utilities utilities(int input) { return {kScores[static_cast<size_t>(input)], kPerRecord}; }

// A set as one integer: its members as binary digits.
int64_t encode(const std::vector<size_t>& set) {
  int64_t code = 0;
  for (const size_t member : set) code |= int64_t{1} << member;
  return code;
}

}  // namespace

std::vector<Game> honest_games() {
  const Guarantee range = Guarantee::of_bounded_range(kEpsilon), pure = Guarantee::pure(kEpsilon),
                  zcdp = Guarantee::zcdp(kRho);
  return {
      {"exponential", kOneRaised, range,
       [](int input, Random& random) {
         return static_cast<int64_t>(exponential(pure_budget(), random, utilities(input)).value);
       }},
      {"exponential (lazy)", "the same, with upper bounds that are up to twice per_record too high", range,
       [](int input, Random& random) {
         const std::vector<int64_t>& scores = kScores[static_cast<size_t>(input)];
         std::vector<int64_t> upper = scores;
         for (size_t i = 0; i < upper.size(); ++i) upper[i] += static_cast<int64_t>(i % 3) * kPerRecord;
         BoundedUtilities bounded{upper,
                                  [&](std::span<const uint32_t> candidates, std::span<int64_t> out) {
                                    for (size_t j = 0; j < out.size(); ++j) out[j] = scores[candidates[j]];
                                  },
                                  kPerRecord};
         return static_cast<int64_t>(lazy_exponential(pure_budget(), random, bounded).value);
       }},
      {"permute-and-flip", kOneRaised, pure,
       [](int input, Random& random) {
         return static_cast<int64_t>(permute_and_flip(pure_budget(), random, utilities(input)).value);
       }},
      {"laplace", kOneRaised, pure,
       [](int input, Random& random) {
         return static_cast<int64_t>(laplace_max(pure_budget(), random, utilities(input)).value);
       }},
      {"joint-top-k", kOneRaised, range,
       [](int input, Random& random) { return encode(joint_top_k(pure_budget(), random, utilities(input), 2).value); }},
      {"noisy-sum", "one record of norm 5 in a sum of dimension 1", zcdp,
       [](int input, Random& random) {
         const std::vector<int64_t> sum{input == 0 ? 0 : 5};
         return noisy_sum(zcdp_budget(), random, {.values = sum, .bound = NormBound::added(5)}).value.values.front();
       }},
      {"noisy-count (pure)", "7 records or 8", pure,
       [](int input, Random& random) { return noisy_count(pure_budget(), random, 7 + input).value; }},
      {"noisy-count (zCDP)", "7 records or 8", zcdp,
       [](int input, Random& random) { return noisy_count(zcdp_budget(), random, 7 + input).value; }},
  };
}

std::vector<Game> planted_games() {
  return {
      {"planted: exponential, factor 2 missing", kOneRaised, Guarantee::pure(kEpsilon),
       [](int input, Random& random) {
         return static_cast<int64_t>(
             categorical_exp(random, kScores[static_cast<size_t>(input)], 2 * kEpsilon / Rational(kPerRecord)));
       }},
      {"planted: joint top-K with the paper's weight C(y, K)",
       "one record raises the last of 200 equal scores and makes it the first in rank",
       Guarantee::pure(Rational(1, 10)),
       [](int input, Random& random) {
         // K = 2: the worst rank y with weight C(y, 2) instead of y − 1, here with all scores equal but one. One of the
         // two is candidate 199 whenever it is the worst by rank (input 0), or the best by rank and drawn as the other
         // (input 1).
         constexpr uint64_t n = 200;
         uint64_t ticket = uniform_below(random, n * (n + 1) * (n - 1) / 6), y = 2;
         for (; ticket >= y * (y - 1) / 2; ++y) ticket -= y * (y - 1) / 2;
         const uint64_t other = uniform_below(random, y - 1);
         return int64_t{input == 0 ? y == n : other == 0};
       }},
      {"planted: noisy sum, noise for norm 1", "one record of norm 5 in a sum of dimension 1", Guarantee::zcdp(kRho),
       [](int input, Random& random) { return (input == 0 ? 0 : 5) + DiscreteGaussian(Rational(1))(random); }},
      {"planted: count without noise", "7 records or 8", Guarantee::pure(kEpsilon),
       [](int input, Random&) { return int64_t{7} + input; }},
  };
}

}  // namespace dppl
