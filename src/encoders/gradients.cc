#include "encoders/gradients.h"

#include <cmath>

namespace dppl::gradients {
namespace {

using Picture = std::array<float, kPixels>;

constexpr std::array<Window, kPlaces> make_windows() {
  std::array<Window, kPlaces> windows{};
  for (size_t place = 0; place < kPlaces; ++place) {
    Window& window = windows[place];
    const size_t begin = place * kStep;  // the first of the kStep pixels around its centre
    window.first = begin < kStep / 2 ? 0 : begin - kStep / 2;
    window.end = std::min(begin + kReach - kStep / 2, kSide);
    float sum = 0;
    for (size_t x = window.first; x < window.end; ++x) {
      const auto twice_distance = static_cast<float>(2 * x + 1) - static_cast<float>(2 * begin + kStep);
      const float share = (twice_distance < 0 ? -twice_distance : twice_distance) / static_cast<float>(kReach);
      window.weights[x - window.first] = 1 - share;
      sum += window.weights[x - window.first];
    }
    for (float& weight : window.weights) weight /= sum;
  }
  return windows;
}

constexpr std::array<Window, kPlaces> kWindows = make_windows();

Picture blurred(const float* picture) {
  constexpr size_t kBack = kBlur.size() / 2;
  Picture across{}, result{};
  for (size_t y = 0; y < kSide; ++y) {
    for (size_t k = 0; k < kBlur.size(); ++k) {
      for (size_t x = 0; x < kSide; ++x) across[y * kSide + x] += kBlur[k] * picture[y * kSide + inside(x, k, kBack)];
    }
  }
  for (size_t y = 0; y < kSide; ++y) {
    for (size_t k = 0; k < kBlur.size(); ++k) {
      const float* line = across.data() + inside(y, k, kBack) * kSide;
      for (size_t x = 0; x < kSide; ++x) result[y * kSide + x] += kBlur[k] * line[x];
    }
  }
  return result;
}

// A gradient lies between two neighbouring directions, one along an axis and one along a diagonal, and is the sum of a
// part along each: the parts are what it adds to them. No angle is computed.
void add_parts(float right, float down, float* directions) {
  const float across = std::abs(right), along = std::abs(down);
  const size_t axis = across >= along ? (right < 0 ? 4 : 0) : (down < 0 ? 6 : 2);
  const size_t diagonal = down < 0 ? (right < 0 ? 5 : 7) : (right < 0 ? 3 : 1);
  directions[axis] = std::abs(across - along);
  directions[diagonal] = kSqrt2 * std::min(across, along);
}

void describe_scale(const float* picture, float* out) {
  std::array<float, kSide * kDirections> line;
  std::array<float, kPlaces * kDirections> places;
  std::fill_n(out, kPlaces * places.size(), 0.f);
  for (size_t y = 0; y < kSide; ++y) {
    const float* above = picture + inside(y, 0, 1) * kSide;
    const float* here = picture + y * kSide;
    const float* below = picture + inside(y, 2, 1) * kSide;
    line.fill(0);
    for (size_t x = 0; x < kSide; ++x) {
      add_parts(here[inside(x, 2, 1)] - here[inside(x, 0, 1)], below[x] - above[x], line.data() + x * kDirections);
    }
    places.fill(0);
    for (size_t place = 0; place < kPlaces; ++place) {
      const Window& window = kWindows[place];
      for (size_t x = window.first; x < window.end; ++x) {
        for (size_t k = 0; k < kDirections; ++k) {
          places[place * kDirections + k] += window.weights[x - window.first] * line[x * kDirections + k];
        }
      }
    }
    for (size_t place = 0; place < kPlaces; ++place) {
      const Window& window = kWindows[place];
      if (y < window.first || y >= window.end) continue;
      float* to = out + place * places.size();
      for (size_t i = 0; i < places.size(); ++i) to[i] += window.weights[y - window.first] * places[i];
    }
  }
  for (size_t i = 0; i < kPlaces * places.size(); ++i) out[i] = std::sqrt(out[i]);
}

}  // namespace

std::span<const Window, kPlaces> windows() { return kWindows; }

void describe(std::span<const float> brightness, std::span<float> out) {
  describe_scale(brightness.data(), out.data());
  describe_scale(blurred(brightness.data()).data(), out.data() + kDim / kScales);
}

}  // namespace dppl::gradients
