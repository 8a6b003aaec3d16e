#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "images/resize.h"

namespace dppl {

// A pixel value p becomes (p · scale − mean) / deviation, a channel each.
struct Normalisation {
  float scale = 1;
  std::array<float, 3> mean{}, deviation{1, 1, 1};

  // imagenet, clip, half, unit or tf. Throws InvalidInput for another name.
  static Normalisation named(std::string_view name);
  std::string describe() const;
};

// How an image becomes what an encoder takes: resized, cut, normalised. What is empty has not been said.
struct Preprocessing {
  std::optional<PixelSize> resized;  // both sides, whatever the image's shape
  std::optional<size_t> shorter;     // or: its shorter side, in proportion
  std::optional<PixelSize> crop;     // the middle of that; needed with `shorter`
  std::optional<Interpolation> interpolation;
  std::optional<Normalisation> normalisation;

  // What a preprocessor_config.json (as Hugging Face publishes it beside models) says. Throws InvalidInput, beginning
  // with `name`, for what cannot be used.
  static Preprocessing parse(std::string_view json, std::string_view name);
  // Such a file, which parse() reads as the same.
  std::string json() const;

  // What the encoder sees; empty while no size has been said.
  std::optional<PixelSize> seen() const { return crop ? crop : resized; }
  std::string describe() const;
};

// A complete preprocessing, applied: width × height × 3 values, channels apart (planar) or together.
class Preprocessor {
 public:
  // Throws InvalidInput when something has not been said, or is more than can be cut out.
  Preprocessor(Preprocessing how, bool planar, std::string_view name);

  size_t values() const { return seen_.width * seen_.height * 3; }
  PixelSize seen() const { return seen_; }
  // An image reduced to no less than this gives very nearly what the whole one gives.
  PixelSize least_size() const;
  // Safe from several threads.
  void apply(const Image& image, std::span<float> out) const;

 private:
  // Of both sides or, with `shorter`, at least.
  PixelSize resized() const;

  Preprocessing how_;
  PixelSize seen_;
  bool planar_;
  std::array<std::array<float, 256>, 3> table_;  // of every pixel value, a channel each
};

}  // namespace dppl
