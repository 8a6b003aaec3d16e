#pragma once

#include <algorithm>
#include <cmath>

#include "dppl/encoder.h"
#include "dppl/error.h"

namespace dppl::testing {

// A picture without straight lines, different for every seed.
inline Image picture(size_t width, size_t height, size_t channels, size_t seed = 0) {
  Image image{width, height, channels, {}};
  for (size_t y = 0; y < height; ++y) {
    for (size_t x = 0; x < width; ++x) {
      for (size_t c = 0; c < channels; ++c) {
        image.pixels.push_back(static_cast<uint8_t>((x * x * 3 + y * 7 + x * y + c * 85 + seed * 31) % 256));
      }
    }
  }
  return image;
}

// Pictures 0 … size−1 with labels i % 3, some of them unreadable.
class MemoryImages : public ImageSource {
 public:
  explicit MemoryImages(size_t size, std::vector<size_t> bad = {}) : size_(size), bad_(std::move(bad)) {}

  size_t size() const override { return size_; }
  Image read(size_t i) const override {
    if (std::find(bad_.begin(), bad_.end(), i) != bad_.end()) throw InvalidInput(name(i) + ": is damaged");
    return picture(12, 10, 3, i);
  }
  std::string name(size_t i) const override { return "picture " + std::to_string(i); }
  std::optional<std::vector<int64_t>> labels() const override {
    std::vector<int64_t> result(size_);
    for (size_t i = 0; i < size_; ++i) result[i] = static_cast<int64_t>(i % 3);
    return result;
  }
  std::optional<ClassSet> classes() const override { return ClassSet::named({"cat", "dog", "owl"}); }
  std::string fingerprint() const override { return "pictures " + std::to_string(size_); }

 private:
  size_t size_;
  std::vector<size_t> bad_;
};

// The mean of each channel.
class MeanColour : public Encoder {
 public:
  size_t dim() const override { return 3; }
  std::string description() const override { return "mean colour"; }
  size_t input_size() const override { return 3; }
  void prepare(const Image& image, std::span<float> input) const override {
    std::fill(input.begin(), input.end(), 0.0f);
    for (size_t i = 0; i < image.pixels.size(); ++i) input[i % 3] += static_cast<float>(image.pixels[i]);
    for (float& value : input) value /= static_cast<float>(image.width * image.height);
  }
  void encode(std::span<const float> inputs, size_t count, std::span<float> out) override {
    images += count;
    std::copy(inputs.begin(), inputs.end(), out.begin());
  }

  size_t images = 0;  // that were encoded
};

}  // namespace dppl::testing
