#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

// Oriented gradients: how much of each direction of change there is around each of 7 × 7 places, in the image as it is
// and in a blurred one. Additions, multiplications and square roots in a fixed order, so the same bits everywhere.
namespace dppl::gradients {

inline constexpr size_t kSide = 28, kPlaces = 7, kDirections = 8, kScales = 2;
inline constexpr size_t kPixels = kSide * kSide, kDim = kScales * kPlaces * kPlaces * kDirections;

// The blurred image is this across and then down, 9 values each, σ = √2: the binomial coefficients of 8, which float
// holds exactly. Beyond the border the image goes on as it ends.
inline constexpr std::array<float, 9> kBlur = {1 / 256.f,  8 / 256.f,  28 / 256.f, 56 / 256.f, 70 / 256.f,
                                               56 / 256.f, 28 / 256.f, 8 / 256.f,  1 / 256.f};
// The pixel `offset` − `back` away from `at`, or the last one before the border.
constexpr size_t inside(size_t at, size_t offset, size_t back) {
  return std::clamp(at + offset, back, kSide - 1 + back) - back;
}

// A place takes the pixels up to 4 away from its centre, nearer ones more: 1, 3, 5, 7, 7, 5, 3, 1 of 32; the border
// cuts off what is outside.
inline constexpr size_t kStep = kSide / kPlaces, kReach = 2 * kStep;
struct Window {
  size_t first, end;
  std::array<float, kReach> weights;
};
std::span<const Window, kPlaces> windows();

inline constexpr float kSqrt2 = 1.41421356f;

// Direction k points 45°·k clockwise from the right, to where the image gets brighter. `brightness` is kSide × kSide,
// line by line; `out` holds kDim values: scale, place (line by line), direction.
void describe(std::span<const float> brightness, std::span<float> out);

}  // namespace dppl::gradients
