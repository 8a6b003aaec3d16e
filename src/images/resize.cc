#include "images/resize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "dppl/error.h"
#include "images/limits.h"
#include "kernels/kernel_dispatch.h"

namespace dppl {
namespace {

// Weights are integers of this many binary places: a sum of bytes with them fits 32 bits.
constexpr int kPlaces = 22;
constexpr int32_t kHalf = 1 << (kPlaces - 1);

double bilinear(double x) { return std::max(0.0, 1.0 - std::abs(x)); }

double bicubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

// What one pixel of the result takes from a line of the source: weights for the pixels from `first` on.
struct Window {
  size_t first;
  std::vector<int32_t> weights;
};

std::vector<Window> windows(size_t from, size_t to, Interpolation interpolation) {
  const auto filter = interpolation == Interpolation::bilinear ? bilinear : bicubic;
  const double scale = static_cast<double>(from) / static_cast<double>(to), wide = std::max(scale, 1.0);
  const double support = (interpolation == Interpolation::bilinear ? 1.0 : 2.0) * wide;
  std::vector<Window> result(to);
  std::vector<double> weights;
  for (size_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto first = static_cast<size_t>(std::max(centre - support + 0.5, 0.0));
    const size_t end = std::min(static_cast<size_t>(centre + support + 0.5), from);
    weights.clear();
    double sum = 0;
    for (size_t k = first; k < end; ++k) {
      weights.push_back(filter((static_cast<double>(k) - centre + 0.5) * (1.0 / wide)));
      sum += weights.back();
    }
    result[i].first = first;
    for (const double weight : weights) {
      const double unit = weight * (1.0 / sum) * (1 << kPlaces);
      result[i].weights.push_back(static_cast<int32_t>(unit < 0 ? unit - 0.5 : unit + 0.5));
    }
  }
  return result;
}

uint8_t rounded(int32_t sum) { return static_cast<uint8_t>(std::clamp(sum >> kPlaces, 0, 255)); }

void grey_line(const uint8_t* line, const std::vector<Window>& across, uint8_t* out) {
  for (const Window& window : across) {
    int32_t sum = kHalf;
    const uint8_t* pixel = line + window.first;
    for (const int32_t weight : window.weights) sum += *pixel++ * weight;
    *out++ = rounded(sum);
  }
}

// The channels of a pixel side by side, and one lane more, which is not used.
using Lanes [[gnu::vector_size(16)]] = int32_t;

template <CpuLevel>
DPPL_INLINE void colour_line_body(const int32_t* line, const std::vector<Window>& across, uint8_t* out) {
  for (const Window& window : across) {
    Lanes sums = Lanes{} + kHalf;
    const int32_t* pixel = line + window.first * 3;
    for (const int32_t weight : window.weights) {
      Lanes values;
      std::memcpy(&values, pixel, sizeof values);
      sums += values * weight;
      pixel += 3;
    }
    for (size_t c = 0; c < 3; ++c) *out++ = rounded(sums[c]);
  }
}

template <CpuLevel>
DPPL_INLINE void add_line_body(const uint8_t* line, size_t size, int32_t weight, int32_t* sums) {
  for (size_t x = 0; x < size; ++x) sums[x] += line[x] * weight;
}

DPPL_KERNEL(void, colour_line, (const int32_t* line, const std::vector<Window>& across, uint8_t* out),
            (line, across, out))
DPPL_KERNEL(void, add_line, (const uint8_t* line, size_t size, int32_t weight, int32_t* sums),
            (line, size, weight, sums))

Image resize_across(const Image& image, size_t width, Interpolation interpolation) {
  Image result{width, image.height, image.channels, std::vector<uint8_t>(width * image.height * image.channels)};
  const std::vector<Window> across = windows(image.width, width, interpolation);
  const size_t stride = image.width * image.channels;
  std::vector<int32_t> wide(stride + 1);  // the lane that is not used reads one beyond
  for (size_t y = 0; y < image.height; ++y) {
    const uint8_t* const line = image.pixels.data() + y * stride;
    uint8_t* const out = result.pixels.data() + y * width * image.channels;
    if (image.channels == 1) {
      grey_line(line, across, out);
    } else {
      std::copy_n(line, stride, wide.data());
      colour_line(wide.data(), across, out);
    }
  }
  return result;
}

Image resize_down(const Image& image, size_t height, Interpolation interpolation) {
  const size_t stride = image.width * image.channels;
  Image result{image.width, height, image.channels, std::vector<uint8_t>(stride * height)};
  const std::vector<Window> down = windows(image.height, height, interpolation);
  std::vector<int32_t> sums(stride);
  for (size_t y = 0; y < height; ++y) {
    std::fill(sums.begin(), sums.end(), kHalf);
    const uint8_t* line = image.pixels.data() + down[y].first * stride;
    for (const int32_t weight : down[y].weights) {
      add_line(line, stride, weight, sums.data());
      line += stride;
    }
    std::transform(sums.begin(), sums.end(), result.pixels.data() + y * stride, rounded);
  }
  return result;
}

}  // namespace

Image resize(const Image& image, size_t width, size_t height, Interpolation interpolation) {
  check_image_size(image.width, image.height, "resize");
  check_image_size(width, height, "resize");
  check_image_size(width, image.height, "resize");
  if (width == image.width && height == image.height) return image;
  if (width == image.width) return resize_down(image, height, interpolation);
  const Image across = resize_across(image, width, interpolation);
  return height == image.height ? across : resize_down(across, height, interpolation);
}

Image centre_crop(const Image& image, size_t width, size_t height) {
  if (width > image.width || height > image.height || width == 0 || height == 0) {
    throw InvalidInput(fmt::format("crop: {} × {} pixels out of an image of {} × {}; resize it first", width, height,
                                   image.width, image.height));
  }
  const size_t left = (image.width - width) / 2, top = (image.height - height) / 2, channels = image.channels;
  Image result{width, height, channels, {}};
  result.pixels.reserve(width * height * channels);
  for (size_t y = top; y < top + height; ++y) {
    const auto line = image.pixels.begin() + static_cast<ptrdiff_t>((y * image.width + left) * channels);
    result.pixels.insert(result.pixels.end(), line, line + static_cast<ptrdiff_t>(width * channels));
  }
  return result;
}

Image to_rgb(Image image) {
  if (image.channels == 3) return image;
  Image result{image.width, image.height, 3, {}};
  result.pixels.reserve(image.pixels.size() * 3);
  for (const uint8_t value : image.pixels) result.pixels.insert(result.pixels.end(), 3, value);
  return result;
}

}  // namespace dppl
