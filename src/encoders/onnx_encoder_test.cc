#include "encoders/onnx_encoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "dppl/error.h"
#include "support/expect_error.h"
#include "support/memory_images.h"
#include "support/onnx_model.h"
#include "support/onnx_runtime.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::OnnxModel;
using testing::picture;
using testing::SmallResNet;
using testing::SmallViT;
using testing::TempDir;

constexpr size_t kValues = 3 * 8 * 8;

EncoderOptions small_options(const std::string& pool = "") {
  EncoderOptions options;
  options.size = 8;
  options.batch = 4;
  options.onnx.normalise = "half";
  options.onnx.pool = pool;
  return options;
}

std::vector<float> prepared(const Encoder& encoder, size_t count) {
  std::vector<float> inputs(count * encoder.input_size());
  for (size_t i = 0; i < count; ++i) {
    encoder.prepare(picture(20, 13, i % 2 == 0 ? 3 : 1, i),
                    std::span(inputs).subspan(i * encoder.input_size(), encoder.input_size()));
  }
  return inputs;
}

std::vector<float> encoded(Encoder& encoder, const std::vector<float>& inputs) {
  const size_t count = inputs.size() / encoder.input_size();
  std::vector<float> rows(count * encoder.dim());
  encoder.encode(inputs, count, rows);
  return rows;
}

void expect_near(std::span<const float> got, const std::vector<double>& expected, double tolerance = 1e-4) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(static_cast<double>(got[i]), expected[i], tolerance) << i;
}

TEST(OnnxEncoder, AConvolutionalNetworkAgreesWithItsReference) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir dir;
  const SmallResNet net;
  const auto encoder = open_encoder(dir.file("m.onnx", net.model().bytes()), small_options());
  EXPECT_EQ(encoder->dim(), 5u);
  EXPECT_EQ(encoder->input_size(), kValues);
  // One less than a batch, a batch, and more than one.
  for (const size_t count : {3u, 4u, 9u}) {
    const std::vector<float> inputs = prepared(*encoder, count), rows = encoded(*encoder, inputs);
    for (size_t i = 0; i < count; ++i) {
      expect_near(std::span(rows).subspan(5 * i, 5), net.reference(inputs.data() + i * kValues));
    }
  }
  EXPECT_NE(encoder->description().find("m.onnx"), std::string::npos);
  EXPECT_NE(encoder->description().find("output embedding"), std::string::npos);
}

TEST(OnnxEncoder, ATransformerAgreesWithItsReference) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir dir;
  const SmallViT net;
  const std::string path = dir.file("m.onnx", net.model().bytes());
  for (const char* pool : {"", "cls", "mean"}) {
    const auto encoder = open_encoder(path, small_options(pool));
    EXPECT_EQ(encoder->dim(), 6u);
    const std::vector<float> inputs = prepared(*encoder, 5), rows = encoded(*encoder, inputs);
    for (size_t i = 0; i < 5; ++i) {
      const std::vector<double> tokens = net.reference(inputs.data() + i * kValues);
      std::vector<double> expected(tokens.begin(), tokens.begin() + 6);
      if (std::string_view(pool) == "mean") {
        for (size_t t = 1; t < 5; ++t) {
          for (size_t d = 0; d < 6; ++d) expected[d] += tokens[6 * t + d];
        }
        for (double& value : expected) value /= 5;
      }
      expect_near(std::span(rows).subspan(6 * i, 6), expected);
    }
  }
}

// The same network behind other inputs and another output.
TEST(OnnxEncoder, LayoutBatchTypeAndOutputOfTheModel) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir dir;
  const SmallResNet net;
  const auto plain = open_encoder(dir.file("m.onnx", net.model().bytes()), small_options());
  const std::vector<float> rows = encoded(*plain, prepared(*plain, 5));
  const auto expect_same = [&](const OnnxModel& model, double tolerance) {
    const auto encoder = open_encoder(dir.file("other.onnx", model.bytes()), small_options());
    expect_near(encoded(*encoder, prepared(*encoder, 5)), {rows.begin(), rows.end()}, tolerance);
  };
  expect_same(net.model(2), 1e-6);
  expect_same(net.model(-1, "NHWC"), 1e-6);
  expect_same(net.model(-1, "NCHW", OnnxModel::kHalf), 1e-3);

  // A map of features with one place is what the last layer takes.
  OnnxModel model = net.model();
  EncoderOptions options = small_options();
  options.onnx.output = "map";
  const auto map = open_encoder(dir.file("map.onnx", model.output("map", {-1, 4, 1, 1}).bytes()), options);
  EXPECT_EQ(map->dim(), 4u);
  const std::vector<float> features = encoded(*map, prepared(*map, 1));
  double first = static_cast<double>(net.bias[0]);
  for (size_t c = 0; c < 4; ++c) first += static_cast<double>(features[c]) * static_cast<double>(net.last[c]);
  EXPECT_NEAR(first, static_cast<double>(rows[0]), 1e-5);

  OnnxModel wider = net.model();
  options.onnx.output = "e";
  const auto averaged = open_encoder(dir.file("e.onnx", wider.output("e", {-1, 4, 8, 8}).bytes()), options);
  const std::vector<float> means = encoded(*averaged, prepared(*averaged, 1));
  expect_near(means, {features.begin(), features.end()}, 1e-5);
}

TEST(OnnxEncoder, TheModelsOwnDescription) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir dir;
  const SmallResNet net;
  const std::string config =
      R"({"size": 8, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5], "resample": 3})";
  const std::string path = dir.file("m.onnx", net.model().bytes());
  const auto flags = open_encoder(path, small_options());
  EncoderOptions none;
  none.batch = 4;
  expect_error<InvalidInput>([&] { open_encoder(path, none); }, {"m.onnx", "imagenet", "preprocessor_config.json"});
  const auto inside =
      open_encoder(dir.file("n.onnx", net.model().metadata("preprocessor_config.json", config).bytes()), none);
  EXPECT_EQ(prepared(*inside, 2), prepared(*flags, 2));
  dir.file("preprocessor_config.json", config);
  const auto beside = open_encoder(path, none);
  EXPECT_EQ(prepared(*beside, 2), prepared(*flags, 2));
  EXPECT_EQ(beside->description(), flags->description());
  none.onnx.normalise = "tf";
  EXPECT_NE(prepared(*open_encoder(path, none), 2), prepared(*flags, 2));
}

// The first image's row, once beside one set of others and once beside another.
std::pair<std::vector<float>, std::vector<float>> first_row_in_company(Encoder& encoder) {
  std::vector<float> inputs = prepared(encoder, 5), others = inputs;
  for (size_t i = encoder.input_size(); i < others.size(); ++i) others[i] = i % 2 == 0 ? 1.0f : -1.0f;
  std::vector<float> one = encoded(encoder, inputs), other = encoded(encoder, others);
  one.resize(encoder.dim());
  other.resize(encoder.dim());
  return {one, other};
}

bool says(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

// One image must not change another one's row: not through a maximum over the batch, nor through the range of dynamic
// quantisation. The models themselves do that.
TEST(OnnxEncoder, ARowDependsOnItsImageAlone) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir dir;
  for (const auto& make : {testing::largest_of_batch, testing::quantised_by_batch}) {
    for (const int64_t batch : {-1, 2, 4}) {
      const auto encoder = open_encoder(dir.file("m.onnx", make(batch).bytes()), small_options());
      EXPECT_EQ(encoder->dim(), 3u);
      const auto [one, other] = first_row_in_company(*encoder);
      EXPECT_EQ(one, other) << batch;
      EXPECT_TRUE(says(encoder->description(), "it mixes the images of a batch")) << encoder->description();
      EXPECT_TRUE(says(encoder->description(), batch < 0 ? ", batches of 1 (" : "one image at a time in batches of "));
      EXPECT_TRUE(says(encoder->note(), "m.onnx: an image's vector changes")) << encoder->note();
      // The same row at every place among the images.
      const std::vector<float> inputs = prepared(*encoder, 5), rows = encoded(*encoder, inputs);
      for (size_t i = 0; i < 5; ++i) {
        const auto begin = inputs.begin() + static_cast<ptrdiff_t>(i * kValues);
        const std::vector<float> alone = encoded(*encoder, {begin, begin + kValues});
        EXPECT_TRUE(std::equal(alone.begin(), alone.end(), rows.begin() + static_cast<ptrdiff_t>(3 * i))) << i;
      }
    }
  }
}

TEST(OnnxEncoder, AModelThatKeepsImagesApartKeepsItsBatch) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir dir;
  for (const OnnxModel& model : {SmallResNet().model(), SmallResNet().model(4), SmallViT().model()}) {
    for (const size_t batch : {2u, 4u, 16u}) {
      EncoderOptions options = small_options();
      options.batch = batch;
      const auto encoder = open_encoder(dir.file("m.onnx", model.bytes()), options);
      EXPECT_TRUE(says(encoder->description(), ", batches of ")) << encoder->description();
      EXPECT_FALSE(says(encoder->description(), "mixes")) << encoder->description();
      EXPECT_EQ(encoder->note(), "");
      const auto [one, other] = first_row_in_company(*encoder);
      EXPECT_EQ(one, other);
    }
  }
}

TEST(OnnxEncoder, ABatchOfOneNeedsNoTest) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir dir;
  EncoderOptions options = small_options();
  options.batch = 1;
  for (const int64_t batch : {-1, 4}) {
    const auto encoder = open_encoder(dir.file("m.onnx", testing::largest_of_batch(batch).bytes()), options);
    EXPECT_EQ(encoder->note(), "");
    EXPECT_FALSE(says(encoder->description(), "mixes")) << encoder->description();
    EXPECT_TRUE(says(encoder->description(), batch < 0 ? ", batches of 1;" : ", one image at a time in batches of 4;"));
    const auto [one, other] = first_row_in_company(*encoder);
    EXPECT_EQ(one, other) << batch;
  }
}

TEST(OnnxEncoder, RefusesWhatItCannotUse) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir dir;
  const SmallResNet net;
  const std::string whole = net.model().bytes();
  const auto refused = [&](const std::string& bytes, const EncoderOptions& options,
                           std::initializer_list<std::string_view> words) {
    const std::string path = dir.file("m.onnx", bytes);
    expect_error<InvalidInput>([&] { open_encoder(path, options); }, words);
  };
  refused("", small_options(), {"m.onnx: is empty"});
  refused("this is no model", small_options(), {"m.onnx", "cannot be loaded", "export the model again"});
  refused(whole.substr(0, whole.size() / 2), small_options(), {"m.onnx", "cannot be loaded"});
  expect_error<IoError>([&] { open_encoder(dir.path("none.onnx"), small_options()); }, {"none.onnx"});
  expect_error<InvalidInput>([&] { open_encoder("resnet", small_options()); }, {"'resnet'", ".onnx"});

  EncoderOptions options = small_options();
  options.onnx.output = "pooled";
  refused(whole, options, {"no output 'pooled'", "float32 embedding [?, 5]"});
  options = small_options();
  options.size = 9;
  refused(whole, options, {"8 × 8", "9 × 9", "size"});
  options = small_options("cls");
  refused(whole, options, {"pooled over tokens", "embedding"});
  options = EncoderOptions{};
  options.onnx.normalise = "half";
  refused(SmallViT().model().bytes(), options, {"any size", "state the size"});

  OnnxModel text;
  text.input("input_ids", {-1, -1}, OnnxModel::kInt64)
      .node("Identity", {"input_ids"}, "out")
      .output("out", {-1, -1}, OnnxModel::kInt64);
  refused(text.bytes(), small_options(), {"int64 input_ids", "model for text"});
  OnnxModel flat;
  flat.input("x", {-1, 192}).node("Identity", {"x"}, "embedding").output("embedding", {-1, 192});
  refused(flat.bytes(), small_options(), {"float32 x [?, 192]", "N×3×H×W"});
  OnnxModel grey;
  grey.input("x", {-1, 1, 8, 8}).node("Flatten", {"x"}, "embedding").output("embedding", {-1, 64});
  refused(grey.bytes(), small_options(), {"[?, 1, 8, 8]"});

  // Weights in a file that is not there.
  OnnxModel apart;
  apart.input("x", {-1, 3, 8, 8}).weights_in_file("w", {4, 3, 3, 3}, "m.onnx_data");
  apart.node("Conv", {"x", "w"}, "map").output("map", {-1, 4, 6, 6});
  refused(apart.bytes(), small_options(), {"m.onnx_data", "beside it"});
  dir.file("m.onnx_data", std::string(4 * 3 * 9 * 4, '\0'));
  EXPECT_EQ(open_encoder(dir.file("m.onnx", apart.bytes()), small_options())->dim(), 4u);
}

// A protocol buffer ends at 2 GB, so large models keep their weights beside it. The file has holes: it takes no disk.
TEST(OnnxEncoder, ReadsWeightsBeyondTwoGigabytes) {
  DPPL_NEEDS_ONNX_RUNTIME();
  if (std::getenv("DPPL_LONG_TESTS") == nullptr) GTEST_SKIP() << "takes 5 GB of memory: ./test.sh --long runs it";
  const TempDir dir;
  constexpr int64_t kRows = 190'000'000, kDim = 3;  // 2.28 GB
  constexpr uint64_t kBytes = kRows * kDim * sizeof(float);
  static_assert(kBytes > uint64_t{1} << 31);
  const std::string path = dir.file("m.onnx_data", "");
  std::filesystem::resize_file(path, kBytes);
  constexpr float kLast[kDim] = {1.5f, -2.25f, 7};
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(kBytes - sizeof kLast);
    file.write(reinterpret_cast<const char*>(kLast), sizeof kLast);
    ASSERT_TRUE(file.flush());
  }
  // The channels' means plus the last row of the weights.
  OnnxModel model;
  model.input("x", {-1, 3, 8, 8}).weights_in_file("w", {kRows, kDim}, "m.onnx_data").integers("last", {kRows - 1});
  model.node("Gather", {"w", "last"}, "row").node("GlobalAveragePool", {"x"}, "map").node("Flatten", {"map"}, "means");
  model.node("Add", {"means", "row"}, "embedding").output("embedding", {-1, kDim});
  const auto encoder = open_encoder(dir.file("m.onnx", model.bytes()), small_options());
  std::vector<float> inputs(2 * encoder->input_size());
  std::fill(inputs.begin() + kValues, inputs.end(), 0.5f);
  expect_near(encoded(*encoder, inputs), {1.5, -2.25, 7, 2, -1.75, 7.5});
}

TEST(OpenEncoder, ABuiltInEncoderHasItsOwnPreprocessing) {
  EXPECT_GT(open_encoder("builtin:hog")->dim(), 0u);
  expect_error<InvalidInput>([&] { open_encoder("builtin:hog", small_options()); }, {"builtin:hog", "size"});
}

TEST(OnnxEncoder, ChoosesTheLikeliestOutput) {
  using enum ort::ElementType;
  const OnnxTensor logits{"logits", float32, {-1, 1000}}, pooled{"pooler_output", float32, {-1, 768}},
      tokens{"last_hidden_state", float32, {-1, 197, 768}}, hidden{"hidden_states.3", float32, {-1, 197, 768}},
      map{"map", float32, {-1, 2048, 7, 7}}, plain{"output", float32, {-1, 512}}, ids{"ids", int64, {-1, 2}};
  const auto chosen = [](const std::vector<OnnxTensor>& outputs, const std::string& pool = "") {
    OnnxOptions options;
    options.pool = pool;
    return choose_output(outputs, options, "m.onnx").name;
  };
  EXPECT_EQ(chosen({logits, tokens, pooled}), "pooler_output");
  EXPECT_EQ(chosen({logits, tokens, pooled}, "cls"), "last_hidden_state");
  EXPECT_EQ(chosen({hidden, tokens}), "last_hidden_state");
  EXPECT_EQ(chosen({map, logits}), "map");
  EXPECT_EQ(chosen({ids, plain, map}), "output");
  EXPECT_EQ(chosen({logits}), "logits");
  expect_error<InvalidInput>([&] { chosen({ids}); }, {"m.onnx", "int64 ids [?, 2]"});
  expect_error<InvalidInput>([&] { chosen({plain}, "mean"); }, {"tokens"});
}

}  // namespace
}  // namespace dppl
