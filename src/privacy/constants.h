#pragma once

#include <cstddef>

#include "numbers/interval.h"

// How tight bounds are. All of them are rounded to the safe side, whatever these numbers are.
namespace dppl {

// Bounds are told with so many digits.
inline constexpr int kBoundDigits = 18;
// 2^-66 < 1e-19 leaves the rounding to 18 digits as the only loss; no more bits than these are spent on it.
inline constexpr mpfr_exp_t kTightness = 66;
inline constexpr mpfr_prec_t kMaxBits = 32 * Interval::kDefaultBits;
// Below 2^-3400, about 1e-1023, an exact rational would cost memory without telling more.
inline constexpr mpfr_exp_t kSmallestExponent = -3400;
// Of a bisection, which needs some sixty and the way to the order of magnitude.
inline constexpr int kMostHalvings = 8192;
// Conversions that a thread remembers: each takes milliseconds, and many fits ask for the same few.
inline constexpr size_t kRemembered = 64;

}  // namespace dppl
