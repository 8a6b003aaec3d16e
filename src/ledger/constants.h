#pragma once

#include <cstddef>

namespace dppl {

// Of the name of a data set and of a purpose: what a table can show.
inline constexpr size_t kMaxLabelBytes = 200;
// Digits of an exact amount: sums of amounts must fit what a row holds.
inline constexpr size_t kMostAmountDigits = 150;
// Of a digest in hex: 512 bits, twice what is written.
inline constexpr size_t kMostHexDigits = 128;
// An exact amount is told as it is up to so many characters.
inline constexpr size_t kReadable = 24;

}  // namespace dppl
