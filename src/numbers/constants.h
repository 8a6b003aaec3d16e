#pragma once

#include <cstddef>

namespace dppl {

// Of a number's text, which may come from a file or a network: no amount needs more.
inline constexpr long kMaxExponent = 300;
inline constexpr size_t kLongestNumber = 400;
// Decimals that are written out; beyond, a fraction is told as one.
inline constexpr unsigned long kMaxDecimals = 40;

}  // namespace dppl
