#pragma once

#include <optional>
#include <span>
#include <vector>

#include "random/lazy_part.h"
#include "selection/class_scores.h"

namespace dppl {

// Of a class, the candidates that can count in a lazy draw (BoundedValues::Some).
struct NearCandidates {
  std::vector<uint32_t> indices;  // ascending
  std::vector<int64_t> upper;     // their bounds, as ClassScores::bound() has them
  int64_t rest = 0;               // what all others' bounds are at most

  BoundedValues::Some of(uint64_t candidates) const { return {indices, candidates, rest}; }
};

struct NearTask {
  const ClassScores& scores;
  const WordColumn& column;
  const Rational& unit;  // of the draw's weights
};

// One pass over the pool for all of these classes, in which nothing is clipped, by products of bytes: half of the work
// that their words would be. Nothing for a class of which too many candidates count; then every one needs a bound. What
// is found decides how long a draw takes and never what is drawn: a candidate that is left out is negligible beside the
// best of the first values that any draw asks for, in this pool or a larger one that it is a part of.
std::vector<std::optional<NearCandidates>> find_near(std::span<const NearTask> classes, const ShardedRows& pool,
                                                     unsigned threads);

}  // namespace dppl
