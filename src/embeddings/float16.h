#pragma once

#include <bit>
#include <cstdint>

namespace dppl {

// The value of an IEEE half, exactly. Without a branch, so that a loop over it can be vectorised.
inline float half_to_float(uint16_t half) {
  // Moved to float's place, exponent and fraction stand for the value times 2^(15 − 127), subnormals included.
  const float magnitude = std::bit_cast<float>(static_cast<uint32_t>(half & 0x7fffu) << 13) * 0x1p112f;
  const uint32_t infinite = (half & 0x7c00u) == 0x7c00u ? 0x7f800000u : 0u;
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | infinite | sign);
}

}  // namespace dppl
