#include "encoders/preprocessing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>

#include "dppl/error.h"
#include "encoders/constants.h"

namespace dppl {
namespace {

constexpr float kPerByte = 1.0f / 255;

std::string describe(const PixelSize& size) { return fmt::format("{} × {}", size.width, size.height); }

// The size in proportion, as torchvision and Hugging Face compute it.
PixelSize scaled(const Image& image, size_t shorter) {
  const size_t least = std::max<size_t>(1, std::min(image.width, image.height));
  return {shorter * image.width / least, shorter * image.height / least};
}

}  // namespace

Normalisation Normalisation::named(std::string_view name) {
  if (name == "imagenet") return {kPerByte, {0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f}};
  if (name == "clip") {
    return {kPerByte, {0.48145466f, 0.4578275f, 0.40821073f}, {0.26862954f, 0.26130258f, 0.27577711f}};
  }
  if (name == "half") return {kPerByte, {0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f}};
  if (name == "unit") return {kPerByte, {0, 0, 0}, {1, 1, 1}};
  if (name == "tf") return {1, {127, 127, 127}, {128, 128, 128}};
  throw InvalidInput(fmt::format("normalise: '{}' is not one of imagenet, clip, half, unit, tf", name));
}

std::string Normalisation::describe() const {
  return fmt::format("(p × {} − [{}]) / [{}]", scale, fmt::join(mean, ", "), fmt::join(deviation, ", "));
}

std::string Preprocessing::describe() const {
  std::string result = shorter ? fmt::format("shorter side {}", *shorter)
                               : (resized ? dppl::describe(*resized) : std::string("any size"));
  if (crop) result += ", middle " + dppl::describe(*crop);
  result += interpolation == Interpolation::bilinear ? ", bilinear" : ", bicubic";
  if (normalisation) result += ", " + normalisation->describe();
  return result;
}

Preprocessor::Preprocessor(Preprocessing how, bool planar, std::string_view name)
    : how_(std::move(how)), planar_(planar), table_{} {
  if (!how_.seen()) {
    throw InvalidInput(fmt::format("{}: takes images of any size; state the size (224 is usual)", name));
  }
  if (!how_.normalisation) {
    throw InvalidInput(
        fmt::format("{}: nothing says how pixels are normalised; state imagenet, clip, half, "
                    "unit or tf, or put the model's preprocessor_config.json beside it",
                    name));
  }
  seen_ = *how_.seen();
  const PixelSize before = resized();
  if (seen_.width > before.width || seen_.height > before.height) {
    throw InvalidInput(fmt::format("{}: {} cannot be cut out of {}; make the crop at most the size", name,
                                   dppl::describe(seen_), dppl::describe(before)));
  }
  for (size_t c = 0; c < 3; ++c) {
    for (size_t p = 0; p < 256; ++p) {
      const float value = static_cast<float>(p) * how_.normalisation->scale - how_.normalisation->mean[c];
      table_[c][p] = value / how_.normalisation->deviation[c];
    }
  }
}

PixelSize Preprocessor::resized() const {
  return how_.shorter ? PixelSize{*how_.shorter, *how_.shorter} : how_.resized.value_or(seen_);
}

PixelSize Preprocessor::least_size() const {
  const PixelSize size = resized();
  return {kReducingGap * size.width, kReducingGap * size.height};
}

void Preprocessor::apply(const Image& image, std::span<float> out) const {
  assert(out.size() == values());
  const PixelSize size = how_.shorter ? scaled(image, *how_.shorter) : resized();
  // Cut before channels are repeated; a grey image is resized once, not three times.
  Image ready = resize(image, size.width, size.height, how_.interpolation.value_or(Interpolation::bicubic));
  ready = to_rgb(centre_crop(ready, seen_.width, seen_.height));
  const size_t pixels = seen_.width * seen_.height;
  const uint8_t* from = ready.pixels.data();
  for (size_t i = 0; i < pixels; ++i) {
    for (size_t c = 0; c < 3; ++c) out[planar_ ? c * pixels + i : 3 * i + c] = table_[c][from[3 * i + c]];
  }
}

}  // namespace dppl
