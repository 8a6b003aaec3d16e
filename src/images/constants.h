#pragma once

#include <cstddef>

// What small files can claim, and what is refused before memory or time is taken for it.
namespace dppl {

// Of an image.
inline constexpr size_t kMaxPixels = size_t{1} << 28;
// A progressive JPEG is decoded scan by scan.
inline constexpr int kMaxScans = 500;

}  // namespace dppl
