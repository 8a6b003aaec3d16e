#pragma once

#include <cstdint>

namespace dppl {

// Values of a row, in files of embeddings and in models. Encoders give a few thousand; a file may claim any number, and
// its readers allocate this much. The quantiser's proof takes fewer than 2^20 (integer_row.h).
inline constexpr uint64_t kMaxDim = 1'000'000;
static_assert(kMaxDim < (1 << 20));

}  // namespace dppl
