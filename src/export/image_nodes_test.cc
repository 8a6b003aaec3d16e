#include "export/image_nodes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "encoders/preprocessing.h"
#include "export/constants.h"
#include "export/preprocessing_nodes.h"
#include "support/memory_images.h"
#include "support/onnx_run.h"
#include "support/onnx_runtime.h"
#include "support/temp_dir.h"

namespace dppl::onnx {
namespace {

using testing::OnnxRun;
using testing::picture;
using testing::RuntimeTensor;
using testing::TempDir;

RuntimeTensor tensor_of(const Image& image) {
  return {
      {1, static_cast<int64_t>(image.height), static_cast<int64_t>(image.width), static_cast<int64_t>(image.channels)},
      image.pixels};
}

// A graph that only prepares images, and the same by the program.
void expect_prepared_alike(const Preprocessing& how, bool planar, int64_t opset, const std::vector<Image>& images) {
  const TempDir files;
  Graph graph(opset);
  const ImageInput input{{"ready", ort::ElementType::float32, {-1, 3, -1, -1}}, planar, std::nullopt, std::nullopt};
  add_preprocessing(graph, how, input, "image", "ready");
  graph.output({"ready", Type::float32, {"N", "", "", ""}});
  const OnnxRun run(files.file("p.onnx", whole_model(graph, "prepare", {})));
  const Preprocessor preprocessor(how, planar, "test");
  for (const Image& image : images) {
    std::vector<float> expected(preprocessor.values());
    preprocessor.apply(image, expected);
    const RuntimeTensor got = run("image", tensor_of(image), {"ready"}).at(0);
    const auto height = static_cast<int64_t>(how.seen()->height), width = static_cast<int64_t>(how.seen()->width);
    EXPECT_EQ(got.shape,
              planar ? (std::vector<int64_t>{1, 3, height, width}) : (std::vector<int64_t>{1, height, width, 3}));
    ASSERT_EQ(got.floats().size(), expected.size());
    size_t different = 0;
    for (size_t i = 0; i < expected.size(); ++i) different += got.floats()[i] != expected[i];
    EXPECT_EQ(different, 0u) << image.width << " × " << image.height << " × " << image.channels << ", opset " << opset
                             << ", " << how.describe();
  }
}

std::vector<Image> pictures() {
  std::vector<Image> result;
  for (const auto& [width, height] :
       {std::pair<size_t, size_t>{40, 30}, {17, 90}, {300, 200}, {23, 19}, {1, 1}, {2, 500}}) {
    result.push_back(picture(width, height, 3, width));
    result.push_back(picture(width, height, 1, height));
  }
  return result;
}

// To the bit: pixels are bytes.
TEST(ImageNodes, BothSidesResized) {
  DPPL_NEEDS_ONNX_RUNTIME();
  for (const Interpolation interpolation : {Interpolation::bilinear, Interpolation::bicubic}) {
    for (const PixelSize size : {PixelSize{24, 24}, PixelSize{31, 17}}) {
      expect_prepared_alike({.resized = size,
                             .shorter = {},
                             .crop = {},
                             .interpolation = interpolation,
                             .normalisation = Normalisation::named("imagenet")},
                            true, 13, pictures());
    }
  }
}

TEST(ImageNodes, TheShorterSideResizedAndTheMiddleCut) {
  DPPL_NEEDS_ONNX_RUNTIME();
  for (const Interpolation interpolation : {Interpolation::bilinear, Interpolation::bicubic}) {
    expect_prepared_alike({.resized = {},
                           .shorter = 26,
                           .crop = PixelSize{21, 24},
                           .interpolation = interpolation,
                           .normalisation = Normalisation::named("clip")},
                          true, 13, pictures());
  }
}

TEST(ImageNodes, ResizedThenCut) {
  DPPL_NEEDS_ONNX_RUNTIME();
  expect_prepared_alike({.resized = PixelSize{40, 30},
                         .shorter = {},
                         .crop = PixelSize{33, 30},
                         .interpolation = Interpolation::bicubic,
                         .normalisation = Normalisation::named("tf")},
                        true, 13, pictures());
}

TEST(ImageNodes, ChannelsLast) {
  DPPL_NEEDS_ONNX_RUNTIME();
  expect_prepared_alike({.resized = PixelSize{24, 20},
                         .shorter = {},
                         .crop = {},
                         .interpolation = Interpolation::bicubic,
                         .normalisation = Normalisation::named("half")},
                        false, 13, pictures());
}

TEST(ImageNodes, EveryVersionOfOperators) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const Preprocessing how{.resized = {},
                          .shorter = 16,
                          .crop = PixelSize{12, 14},
                          .interpolation = Interpolation::bicubic,
                          .normalisation = Normalisation::named("unit")};
  for (int64_t opset = kResizingOpset; opset <= 21; ++opset) expect_prepared_alike(how, true, opset, pictures());
  // Without operators for resizing, images come in the right size.
  for (int64_t opset = 7; opset < kResizingOpset; ++opset) {
    expect_prepared_alike({.resized = PixelSize{12, 14},
                           .shorter = {},
                           .crop = {},
                           .interpolation = Interpolation::bicubic,
                           .normalisation = Normalisation::named("imagenet")},
                          true, opset, {picture(12, 14, 3, 5)});
  }
}

}  // namespace
}  // namespace dppl::onnx
