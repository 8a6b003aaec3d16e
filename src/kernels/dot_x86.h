#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

// Shared by the x86 kernels.
namespace dppl {

// Four bytes of a row, wherever they stand.
template <typename T>
[[gnu::always_inline]] inline int32_t four_bytes(const T* from) {
  int32_t bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return bytes;
}

// Level::tile for `count` rows, 1 … kWidth.
template <typename Level, bool kBytes, size_t kWidth, typename Left, typename Right>
void run_tile(const Left* panel, size_t steps, const Right* const* rows, size_t count, int32_t* dots) {
  if constexpr (kWidth > 1) {
    if (count < kWidth) return run_tile<Level, kBytes, kWidth - 1>(panel, steps, rows, count, dots);
  }
  Level::template tile<kBytes, kWidth>(panel, steps, rows, dots);
}

// Level::pair_tile for `count` rows, 1 … kWidth.
template <typename Level, size_t kWidth>
void run_pair_tile(const uint8_t* panels, size_t steps, const int8_t* const* rows, size_t count, int32_t* dots) {
  if constexpr (kWidth > 1) {
    if (count < kWidth) return run_pair_tile<Level, kWidth - 1>(panels, steps, rows, count, dots);
  }
  Level::template pair_tile<kWidth>(panels, steps, rows, dots);
}

}  // namespace dppl
