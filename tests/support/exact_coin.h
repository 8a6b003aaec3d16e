#pragma once

#include <functional>
#include <utility>

#include "dppl/random.h"
#include "dppl/rational.h"

namespace dppl::testing {

using Coin = std::function<bool(Random&)>;

// Walks all that a coin can do with its random words, and expects that it says yes with probability exp(−γ), exactly.
void expect_exact(const Coin& coin, const Rational& gamma);

// k·ln 2 rounded down and up to a multiple of 2^-bits.
std::pair<Rational, Rational> around_integer(long k, unsigned long bits);

}  // namespace dppl::testing
