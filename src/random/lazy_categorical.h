#pragma once

#include "dppl/random.h"
#include "random/lazy_part.h"

namespace dppl {

struct LazyDraw {
  size_t index;
  size_t evaluated;  // how many values were asked for
};

// An index i with probability ∝ exp(unit·value i), exactly, asking for few of the values where the bounds are good.
//
// Rounds of proposals from integer weights W_i >= τ_i = exp(unit·value i)·scale, made of whatever is known; a proposal
// i is accepted with probability τ_i/W_i (random/categorical.h). The weights may change from round to round with what
// was seen: given all that went before, a proposal that is accepted is i with probability τ_i/Στ, whatever the weights
// are. So the bounds cost or save time and never move the law.
//
// Before each round the values with the largest bounds are asked for, twice as many each time: where bounds are tight
// or candidates few, a round ends it soon; in the worst case all values are asked for, once. A round has as many
// proposals as values were asked for, unless there is no hope that one of so many is accepted.
// Bounds are tightened, once, where a few rounds did not end it and many candidates are left.
//
// The values lie in parts, one behind the other, which may be on other machines: this is the one who draws, and asks.
// The draws, and what is drawn, are the same for any number of parts: the sums of their weights are exact, and a
// position below the sum of all lies in the same candidate however they are cut. A question may be asked as often as it
// takes to have an answer (mechanisms/exponential/proof.md).
class LazyCategorical {
 public:
  struct PartQuestion {
    size_t part;
    LazyQuestion question;
  };

  // Preconditions: at least one candidate in all parts together, fewer than 2^32 in each, unit >= 0, differences of
  // values fit 63 bits. `random` has to outlive this.
  LazyCategorical(Random& random, std::vector<uint64_t> part_sizes, const Rational& unit, bool can_tighten);

  // What to ask now, of every part one question at most; empty: it is drawn.
  const std::vector<PartQuestion>& questions() const { return questions_; }
  // The answers to these, in the same order. Throws Error for answers that no part gives; then nothing is drawn.
  void take(std::span<const LazyAnswer> answers);

  bool is_drawn() const { return questions_.empty(); }
  LazyDraw drawn() const { return {index_, evaluated_}; }

 private:
  struct Part {
    uint64_t size = 0, first = 0;
    uint64_t asked = 0;           // for so many bounds
    std::vector<int64_t> bounds;  // that it told
    std::optional<int64_t> open;  // the largest that is not known, or more
    uint64_t near = 0;
    uint128 total = 0;
    uint64_t far() const { return size - near; }
  };
  struct Proposed {
    size_t question = 0, place = 0;  // where its answer will be
    size_t part = 0;
  };

  template <typename Answer>
  const Answer& expect(const LazyAnswer& answer) const;
  void ask_largest(std::optional<int64_t> tighten_for);
  void take_largest(std::span<const LazyAnswer> answers);
  void take_evaluated(std::span<const LazyAnswer> answers);
  void ask_weights();
  void take_weights(std::span<const LazyAnswer> answers);
  void ask_places();
  void take_places(std::span<const LazyAnswer> answers);
  uint64_t least_weight(int64_t value) const { return exp_.bounds(static_cast<uint64_t>(largest_ - value)).lower; }
  double hope() const;

  Random& random_;
  const ExpWeights exp_;
  const bool can_tighten_;
  std::vector<Part> parts_;
  std::vector<PartQuestion> questions_;
  void (LazyCategorical::*next_)(std::span<const LazyAnswer>) = nullptr;
  size_t batch_, done_ = 0, together_ = 0;
  double known_part_ = 0;  // of the weights
  double accepted_ = 0;    // of the proposals that are done, on average
  std::optional<int64_t> best_known_;
  int64_t largest_ = 0;
  uint64_t near_ = 0, far_ = 0;
  uint128 total_ = 0;
  std::vector<Proposed> proposed_;
  size_t index_ = 0, evaluated_ = 0;
};

// All in one place.
LazyDraw lazy_categorical_exp(Random& random, std::span<LazyPart* const> parts, std::vector<uint64_t> part_sizes,
                              const Rational& unit, bool can_tighten);
LazyDraw lazy_categorical_exp(Random& random, const BoundedValues& values, const Rational& unit);

}  // namespace dppl
