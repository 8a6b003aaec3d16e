// From an image to its embedding, on one core.
#include <benchmark/benchmark.h>

#include "encoders/builtin.h"
#include "images/resize.h"

namespace dppl {
namespace {

Image noise(size_t side, size_t channels) {
  Image image{side, side, channels, std::vector<uint8_t>(side * side * channels)};
  uint32_t state = 1;
  for (uint8_t& value : image.pixels) value = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  return image;
}

// Fashion-MNIST's images are 28 × 28 and grey, CIFAR's 32 × 32 and colour, photographs larger.
void builtin_encoder_images(benchmark::State& state) {
  const auto encoder = builtin_encoder("builtin:hog", 1);
  const Image image = noise(static_cast<size_t>(state.range(0)), static_cast<size_t>(state.range(1)));
  constexpr size_t kBatch = 64;
  std::vector<float> inputs(kBatch * encoder->input_size()), rows(kBatch * encoder->dim());
  for (auto _ : state) {
    for (size_t i = 0; i < kBatch; ++i) {
      encoder->prepare(image, std::span(inputs).subspan(i * encoder->input_size(), encoder->input_size()));
    }
    encoder->encode(inputs, kBatch, rows);
    benchmark::DoNotOptimize(rows.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kBatch));
}
BENCHMARK(builtin_encoder_images)->ArgNames({"side", "channels"})->Args({28, 1})->Args({32, 3})->Args({256, 3});

void resize_photograph(benchmark::State& state) {
  const Image image = noise(1024, 3);
  for (auto _ : state) benchmark::DoNotOptimize(resize(image, 224, 224, Interpolation::bicubic));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(resize_photograph)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dppl
