#pragma once

#include <cstddef>
#include <cstdint>

namespace dppl {

// Images that are encoded together. A model takes its time over a few; a built-in encoder needs many to keep its
// threads busy.
inline constexpr size_t kModelBatch = 16, kBuiltinBatch = 256;

// Pixels of a side. No encoder takes more; larger numbers are mistakes.
inline constexpr int64_t kLargestSide = 1 << 14;
// How much of a large image is left to the filter, which then decides what the result looks like (Pillow's
// reducing_gap).
inline constexpr size_t kReducingGap = 2;

// Whether a model sees an image alone is tried with one of little contrast, whose neighbours have all there is: then a
// range, a mean or a maximum over the batch differs from the image's own.
inline constexpr uint32_t kProbeSeed = 1, kProbeDarkest = 96, kProbeBrightest = 159;

// std::regex needs stack for every byte that it matches: 300 bytes of it for a plain pattern, more for nested groups
// and with sanitizers. Within these limits patterns that people write stay far below the usual 8 MB.
inline constexpr size_t kLongestImageName = 1024, kLongestPattern = 256;

}  // namespace dppl
