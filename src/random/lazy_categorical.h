#pragma once

#include <functional>
#include <span>

#include "dppl/random.h"
#include "dppl/rational.h"

namespace dppl {

// Values that are known by upper bounds until they are asked for.
struct BoundedValues {
  std::span<int64_t> upper;  // value i is at most upper[i]; becomes the value when it is known
  std::function<void(std::span<const uint32_t> indices, std::span<int64_t> values)> evaluate;
  // Better bounds for some, at a smaller price than their values; may be empty.
  std::function<void(std::span<const uint32_t> indices, std::span<int64_t> upper)> tighten = {};
};

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
// or candidates few, a round ends it soon; in the worst case all values are asked for, once. Bounds are
// tightened, once, where a few rounds did not end it and many candidates are left.
// Preconditions: not empty,
// fewer than 2^32 values, unit >= 0, differences fit 63 bits. Throws Error when a value lies above its bound.
LazyDraw lazy_categorical_exp(Random& random, const BoundedValues& values, const Rational& unit);

}  // namespace dppl
