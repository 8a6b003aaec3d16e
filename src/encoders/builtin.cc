#include "encoders/builtin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "dppl/error.h"
#include "images/resize.h"

namespace dppl {
namespace {

using namespace builtin;

int grey_of(const uint8_t* pixel) {
  return (kGrey[0] * pixel[0] + kGrey[1] * pixel[1] + kGrey[2] * pixel[2] + kGreyUnit / 2) / kGreyUnit;
}

class Gradients : public Encoder {
 public:
  explicit Gradients(unsigned threads) : threads_(threads) {
    for (size_t i = 0; i < roots_.size(); ++i) roots_[i] = std::sqrt(static_cast<float>(i) / 255);
  }

  size_t dim() const override { return kDim; }
  std::string description() const override {
    return fmt::format("{} version 1, {} × {} pixels bilinear", kName, gradients::kSide, gradients::kSide);
  }
  size_t input_size() const override { return gradients::kPixels + kTints; }

  void prepare(const Image& image, std::span<float> input) const override {
    const Image small = resize(image, gradients::kSide, gradients::kSide, Interpolation::bilinear);
    const std::span<float> tints = input.subspan(gradients::kPixels);
    std::fill(tints.begin(), tints.end(), 0.f);
    for (size_t i = 0; i < gradients::kPixels; ++i) {
      const uint8_t* pixel = small.pixels.data() + i * small.channels;
      const int grey = small.channels == 1 ? *pixel : grey_of(pixel);
      input[i] = roots_[static_cast<size_t>(grey)];
      if (small.channels == 1) continue;
      const size_t place = i / gradients::kSide / kTintStep * kTintPlaces + i % gradients::kSide / kTintStep;
      tints[2 * place] += static_cast<float>(pixel[0] - grey);
      tints[2 * place + 1] += static_cast<float>(pixel[2] - grey);
    }
    for (float& tint : tints) tint /= 255 * kTintStep * kTintStep;
  }

  void encode(std::span<const float> inputs, size_t count, std::span<float> out) override {
    parallel_blocks(count, 16, threads_, [&](size_t begin, size_t end, unsigned) {
      for (size_t i = begin; i < end; ++i) {
        const std::span<const float> input = inputs.subspan(i * input_size(), input_size());
        const std::span<float> row = out.subspan(i * dim(), dim());
        gradients::describe(input.first(gradients::kPixels), row.first(gradients::kDim));
        std::copy_n(input.data() + gradients::kPixels, kTints, row.data() + gradients::kDim);
        row.back() = kAlways;
      }
    });
  }

 private:
  unsigned threads_;
  std::array<float, 256> roots_;
};

}  // namespace

std::unique_ptr<Encoder> builtin_encoder(const std::string& name, unsigned threads) {
  if (name != kName) {
    throw InvalidInput(fmt::format("encoder '{}' is not known; '{}' is built in, others come as .onnx", name, kName));
  }
  return std::make_unique<Gradients>(threads);
}

}  // namespace dppl
