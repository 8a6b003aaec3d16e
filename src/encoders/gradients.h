#pragma once

#include <array>
#include <cstddef>
#include <span>

// Oriented gradients: how much of each direction of change there is around each of 7 × 7 places, in the image as it is
// and in a blurred one. Additions, multiplications and square roots in a fixed order, so the same bits everywhere.
namespace dppl::gradients {

inline constexpr size_t kSide = 28, kPlaces = 7, kDirections = 8, kScales = 2;
inline constexpr size_t kPixels = kSide * kSide, kDim = kScales * kPlaces * kPlaces * kDirections;

// Direction k points 45°·k clockwise from the right, to where the image gets brighter. `brightness` is kSide × kSide,
// line by line; `out` holds kDim values: scale, place (line by line), direction.
void describe(std::span<const float> brightness, std::span<float> out);

}  // namespace dppl::gradients
