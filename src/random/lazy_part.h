#pragma once

#include <functional>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "random/categorical.h"

namespace dppl {

// Values that are known by upper bounds until they are asked for.
struct BoundedValues {
  std::span<int64_t> upper;  // value i is at most upper[i]; becomes the value when it is known
  std::function<void(std::span<const uint32_t> indices, std::span<int64_t> values)> evaluate = {};
  // Better bounds for some, at a smaller price than their values; may be empty.
  std::function<void(std::span<const uint32_t> indices, std::span<int64_t> upper)> tighten = {};

  // Where few candidates count: of which ones `upper` is, ascending, and out of how many. The values of all others are
  // at most `rest`, which lies below kFirstLargest + 1 of the bounds and is negligible beside the values of the first
  // kFirstLargest: a part that finds it otherwise throws Error.
  struct Some {
    std::span<const uint32_t> indices;
    uint64_t candidates;
    int64_t rest;
  };
  std::optional<Some> some = {};

  uint64_t candidates() const { return some ? some->candidates : upper.size(); }
};

// What the one who draws (random/lazy_categorical.h) asks of a part of the candidates, and what the part answers. A
// candidate is open until its exact value is known, and near unless its weight is the smallest that there is; before
// the first weighing all are near.

// The bounds of its open near candidates, the `count` largest of them, descending.
struct AskLargest {
  uint64_t count;
  // Tighten the bounds of the open near ones first, and let go of those that are then negligible beside this value.
  std::optional<int64_t> tighten_for = {};
};
struct SayLargest {
  std::vector<int64_t> bounds;
};

// Evaluate the first `count` of those whose bounds were told, of equal bounds the smaller index first. A part that is
// alone was not asked for bounds, since there are no others to compare them with: it evaluates those that it would have
// told.
struct AskEvaluate {
  uint64_t count;
  std::optional<int64_t> tighten_for = {};  // as in AskLargest, which was not asked then
};
struct SayEvaluated {
  uint64_t count;                    // so many were evaluated
  std::optional<int64_t> best = {};  // of their values
  std::optional<int64_t> open = {};  // the largest bound of what is still open and near
};

// Which are near, beside the best value that is known; and the weights of these, where `largest` has the largest.
struct AskWeigh {
  int64_t best_known, largest;
};
struct SayWeighed {
  uint64_t near;
  uint128 total;
  uint128 known = 0;  // of those whose value is known
};

// The candidates at some places, which are evaluated. A place below the total of the weights is a position in these,
// one after the other, and so in one of the near candidates; one beyond is, less the total, the number of one of the
// others.
struct AskPlaces {
  std::vector<uint128> places;
};
struct SayPlaces {
  struct Proposed {
    uint64_t index;
    uint64_t weight;
    int64_t value;
  };
  std::vector<Proposed> proposed;
  uint64_t evaluated;  // that were open
};

using LazyQuestion = std::variant<AskLargest, AskEvaluate, AskWeigh, AskPlaces>;
using LazyAnswer = std::variant<SayLargest, SayEvaluated, SayWeighed, SayPlaces>;

// A contiguous part of the candidates of a lazy draw. Uses no randomness: what it answers is a function of its values
// and of the questions so far, so that one that was lost is made again by asking them again. Indices are its own, from
// 0 on, fewer than 2^32.
class LazyPart {
 public:
  LazyPart(BoundedValues values, const Rational& unit);

  // Throws Error for a question that the one who draws never asks, and when a value lies above its bound.
  LazyAnswer answer(const LazyQuestion& question);

 private:
  SayLargest answer_one(const AskLargest& question);
  SayEvaluated answer_one(const AskEvaluate& question);
  SayWeighed answer_one(const AskWeigh& question);
  SayPlaces answer_one(const AskPlaces& question);

  void choose_largest(uint64_t count, std::optional<int64_t> tighten_for);
  template <typename Work>
  void each_near(const Work& work) const;
  uint32_t index_of(uint32_t place) const { return values_.some ? values_.some->indices[place] : place; }
  std::optional<uint32_t> place_of(uint32_t index) const;
  size_t near() const { return all_near_ ? known_.size() : near_.size(); }
  uint32_t near_place(size_t number) const { return all_near_ ? static_cast<uint32_t>(number) : near_[number]; }
  bool leaves_out() const { return values_.candidates() > values_.upper.size(); }
  std::vector<int64_t> evaluate(std::span<const uint32_t> indices);
  void tighten(int64_t best_known);
  std::vector<uint32_t> largest_open(size_t count) const;
  bool is_negligible(int64_t bound, int64_t best_known) const;
  void keep_near(int64_t best_known);
  uint32_t far_index(uint64_t rest) const;

  BoundedValues values_;
  const ExpWeights exp_;
  const std::optional<uint64_t> negligible_gap_;
  // Of these by their place in `upper`:
  std::vector<uint8_t> known_;
  bool weighed_ = false;
  bool all_near_ = true;
  std::vector<uint32_t> near_;        // ascending; once not all are
  std::vector<uint32_t> told_;        // of the largest bounds, in this order, and one more
  std::optional<Proposal> proposal_;  // of the near ones, since they were weighed
};

}  // namespace dppl
