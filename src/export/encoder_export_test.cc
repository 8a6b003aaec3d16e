// Encoders in ONNX's format with a classifier behind them: whatever the version, the names and where the weights are.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "dppl/error.h"
#include "dppl/export.h"
#include "encoders/onnx_encoder.h"
#include "support/expect_error.h"
#include "support/fidelity.h"
#include "support/memory_images.h"
#include "support/onnx_checker.h"
#include "support/onnx_model.h"
#include "support/onnx_runtime.h"
#include "support/random_rows.h"
#include "support/sample_models.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using nlohmann::json;
using testing::expect_error;
using testing::expect_passes_full_check;
using testing::Fidelity;
using testing::OnnxModel;
using testing::OnnxRun;
using testing::picture;
using testing::random_floats;
using testing::read_text;
using testing::RuntimeTensor;
using testing::SmallResNet;
using testing::SmallViT;
using testing::TempDir;

constexpr int64_t kOldest = 7, kNewest = 21;

// The first version of the file that goes with each version of the operators.
int64_t ir_version(int64_t opset) {
  return opset < 9    ? 3
         : opset < 10 ? 4
         : opset < 11 ? 5
         : opset < 13 ? 6
         : opset < 15 ? 7
         : opset < 19 ? 8
         : opset < 21 ? 9
                      : 10;
}

PublishedModel model_of(size_t dim, size_t classes = 4) {
  Model model = testing::mean_model();
  model.classes = ClassSet::numbered(classes);
  model.transform = PublicTransform::restore({TransformSpec::Kind::center}, dim, random_floats(dim, 11), {});
  model.settings = with_transform(model.settings, model.transform.spec());
  model.prototypes = random_floats(classes * dim, 12);
  return {"small", std::string(64, 'd'), model};
}

OnnxExportOptions options_for(const std::string& encoder, size_t size = 8) {
  OnnxExportOptions options{.encoder = encoder, .how = {}};
  options.how.size = size;
  options.how.onnx.normalise = "half";
  options.how.batch = 4;
  return options;
}

std::vector<Image> pictures(size_t count, size_t width, size_t height) {
  std::vector<Image> result;
  for (size_t i = 0; i < count; ++i) result.push_back(picture(width, height, 3, i));
  return result;
}

RuntimeTensor tensor_of(const std::vector<Image>& images) {
  std::vector<uint8_t> pixels;
  for (const Image& image : images) pixels.insert(pixels.end(), image.pixels.begin(), image.pixels.end());
  return {{static_cast<int64_t>(images.size()), static_cast<int64_t>(images[0].height),
           static_cast<int64_t>(images[0].width), 3},
          std::move(pixels)};
}

// What dppl embed makes of the same images.
std::vector<float> rows_of(const OnnxExportOptions& options, const std::vector<Image>& images,
                           bool prepared_only = false) {
  const auto encoder = open_encoder(options.encoder, options.how);
  std::vector<float> inputs(images.size() * encoder->input_size()), rows(images.size() * encoder->dim());
  for (size_t i = 0; i < images.size(); ++i) {
    encoder->prepare(images[i], std::span(inputs).subspan(i * encoder->input_size(), encoder->input_size()));
  }
  if (prepared_only) return inputs;
  encoder->encode(inputs, images.size(), rows);
  return rows;
}

// Exports and compares what the file says of images with embed and predict.
OnnxExported expect_faithful(const PublishedModel& published, const OnnxExportOptions& options, const std::string& path,
                             const std::vector<Image>& images, double tolerance = 1e-5) {
  const OnnxExported exported = export_onnx(published, options, path);
  EXPECT_EQ(std::filesystem::file_size(path), exported.bytes);
  RuntimeTensor in = tensor_of(images);
  if (options.prepared_input) {
    const std::vector<float> prepared = rows_of(options, images, true);
    const auto side = static_cast<int64_t>(*options.how.size);
    in = {{static_cast<int64_t>(images.size()), 3, side, side}, prepared};
  }
  const auto out = OnnxRun(path)(exported.input.name, in, {exported.label, exported.scores, exported.probabilities});
  const Fidelity fidelity = compare(
      Classifier(published.model), Embeddings::from_memory(rows_of(options, images), published.model.input_dim()), out);
  EXPECT_EQ(fidelity.rows, images.size());
  EXPECT_EQ(fidelity.different, 0u) << options.encoder;
  EXPECT_LE(fidelity.scores, tolerance) << options.encoder;
  EXPECT_LE(fidelity.probabilities, 10 * tolerance) << options.encoder;
  return exported;
}

TEST(EncoderExport, OperatorsSevenToTwentyOne) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir files;
  const SmallResNet network;
  for (int64_t opset = kOldest; opset <= kNewest; ++opset) {
    const std::string encoder = files.file("e.onnx", network.model().bytes(opset, ir_version(opset)));
    OnnxExportOptions options = options_for(encoder);
    const bool resizes = opset >= 11;
    const std::vector<Image> images = resizes ? pictures(5, 21, 13) : pictures(5, 8, 8);
    const OnnxExported exported = expect_faithful(model_of(5), options, files.path("m.onnx"), images);
    EXPECT_EQ(exported.opset, opset);
    EXPECT_EQ(exported.input.describe(),
              resizes ? "uint8 image [N, height, width, channels]" : "uint8 image [N, 8, 8, 3]");
    options.prepared_input = true;
    expect_faithful(model_of(5), options, files.path("p.onnx"), images);
    EXPECT_TRUE(read_text(files.path("p.onnx")).starts_with(read_text(encoder)))
        << "the encoder's bytes, and the classifier behind them";
  }
}

TEST(EncoderExport, OperatorsSevenToSeventeenPassTheFullCheck) {
  DPPL_NEEDS_ONNX_CHECKER();
  const TempDir files;
  const SmallResNet network;
  const int64_t newest = std::min<int64_t>(kNewest, testing::newest_checked_opset());
  ASSERT_GE(newest, 17);
  for (int64_t opset = kOldest; opset <= newest; ++opset) {
    const std::string encoder = files.file("e.onnx", network.model().bytes(opset, ir_version(opset)));
    OnnxExportOptions options = options_for(encoder);
    for (const bool prepared : {false, true}) {
      options.prepared_input = prepared;
      const std::string path = files.path(fmt::format("m{}.onnx", opset));
      export_onnx(model_of(5), options, path);
      expect_passes_full_check(path);
    }
  }
}

TEST(EncoderExport, LayoutsTypesAndBatches) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir files;
  const SmallResNet network;
  const auto encoder = [&](const OnnxModel& model) { return files.file("e.onnx", model.bytes()); };
  expect_faithful(model_of(5), options_for(encoder(network.model(-1, "NHWC"))), files.path("m.onnx"),
                  pictures(3, 20, 11));
  expect_faithful(model_of(5), options_for(encoder(network.model(-1, "NCHW", OnnxModel::kHalf))), files.path("m.onnx"),
                  pictures(3, 20, 11));
  // A batch of fixed size stays so.
  const auto exported =
      expect_faithful(model_of(5), options_for(encoder(network.model(4))), files.path("m.onnx"), pictures(4, 20, 11));
  EXPECT_EQ(exported.input.shape[0], "4");
}

TEST(EncoderExport, TokensAndMapsArePooledAsEmbedDoes) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir files;
  const std::string vit = files.file("vit.onnx", SmallViT().model().bytes());
  for (const char* pool : {"", "cls", "mean"}) {
    OnnxExportOptions options = options_for(vit);
    options.how.onnx.pool = pool;
    expect_faithful(model_of(6), options, files.path("m.onnx"), pictures(3, 20, 11));
  }
  OnnxModel map;
  map.input("x", {-1, 3, 8, 8}).weights("w", {4, 3, 3, 3}, random_floats(108, 3));
  map.node("Conv", {"x", "w"}, "map").output("map", {-1, 4, 6, 6});
  expect_faithful(model_of(4), options_for(files.file("map.onnx", map.bytes())), files.path("m.onnx"),
                  pictures(3, 9, 9));
}

// Names that the encoder has are not taken a second time.
TEST(EncoderExport, NamesDoNotClash) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir files;
  OnnxModel model;
  model.input("image", {-1, 3, 8, 8}).node("GlobalAveragePool", {"image"}, "dppl/mean");
  model.node("Flatten", {"dppl/mean"}, "label").node("Relu", {"label"}, "scores");
  model.node("Add", {"label", "scores"}, "embedding").output("embedding", {-1, 3}).output("scores", {-1, 3});
  const std::string encoder = files.file("e.onnx", model.bytes());
  const OnnxExported exported =
      expect_faithful(model_of(3), options_for(encoder), files.path("m.onnx"), pictures(3, 9, 9));
  EXPECT_EQ(exported.label, "dppl_label_2");
  EXPECT_EQ(exported.scores, "dppl_scores_2");
  EXPECT_EQ(exported.probabilities, "probabilities");
  EXPECT_EQ(exported.input.name, "dppl_image_2");
  const OnnxSession session(files.path("m.onnx"), 1);
  EXPECT_EQ(session.outputs().size(), 5u) << "the encoder's outputs stay";
}

TEST(EncoderExport, PreprocessingIsDescribed) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir files;
  const std::string config = R"({"do_resize": true, "size": {"shortest_edge": 10}, "do_center_crop": true,
      "crop_size": {"height": 8, "width": 8}, "resample": 3, "image_mean": [0.5, 0.4, 0.3], "image_std": [0.2, 0.3, 0.4]})";
  OnnxModel model = SmallResNet().model();
  model.metadata("preprocessor_config.json", config);
  OnnxExportOptions options{.encoder = files.file("e.onnx", model.bytes()), .how = {}};
  options.how.batch = 4;
  const OnnxExported exported = expect_faithful(model_of(5), options, files.path("m.onnx"), pictures(3, 30, 11));
  EXPECT_NE(exported.preprocessing.find("in the graph: shorter side 10, middle 8 × 8, bicubic"), std::string::npos)
      << exported.preprocessing;
  const OnnxSession session(files.path("m.onnx"), 1);
  const json told = json::parse(session.metadata("dppl.preprocessing"));
  EXPECT_EQ(told["in_graph"], (json{"resize", "crop", "normalise"}));
  const Preprocessing read = Preprocessing::parse(told["config"].dump(), "told"),
                      wanted = Preprocessing::parse(config, "c");
  EXPECT_EQ(read.describe(), wanted.describe());
  EXPECT_EQ(session.metadata("dppl.model_digest"), std::string(64, 'd'));

  options.prepared_input = true;
  export_onnx(model_of(5), options, files.path("p.onnx"));
  EXPECT_EQ(json::parse(OnnxSession(files.path("p.onnx"), 1).metadata("dppl.preprocessing"))["in_graph"],
            json::array());
}

OnnxModel with_weights_apart(const std::string& file) {
  OnnxModel model;
  model.input("x", {-1, 3, 8, 8}).weights_in_file("w", {4, 3, 3, 3}, file);
  return model.node("Conv", {"x", "w"}, "map").output("map", {-1, 4, 6, 6});
}

TEST(EncoderExport, WeightsBesideTheEncoderGoAlong) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir files, elsewhere;
  const std::vector<float> weights = random_floats(108, 3);
  const std::string data(reinterpret_cast<const char*>(weights.data()), weights.size() * sizeof(float));
  files.file("e.onnx_data", data);
  const std::string encoder = files.file("e.onnx", with_weights_apart("e.onnx_data").bytes());
  EXPECT_TRUE(
      expect_faithful(model_of(4), options_for(encoder), files.path("m.onnx"), pictures(2, 9, 9)).copied.empty());

  const OnnxExported copied =
      expect_faithful(model_of(4), options_for(encoder), elsewhere.path("m.onnx"), pictures(2, 9, 9));
  EXPECT_EQ(copied.copied, std::vector<std::string>{elsewhere.path("e.onnx_data")});
  EXPECT_EQ(read_text(elsewhere.path("e.onnx_data")), data);
  EXPECT_EQ(elsewhere.entries(), 2u);
  // Once more: what is there is the same.
  EXPECT_TRUE(export_onnx(model_of(4), options_for(encoder), elsewhere.path("m.onnx")).copied.empty());

  elsewhere.file("e.onnx_data", "something else");
  expect_error<InvalidInput>([&] { export_onnx(model_of(4), options_for(encoder), elsewhere.path("n.onnx")); },
                             {"e.onnx_data", "something else", "another folder"});
  expect_error<InvalidInput>([&] { export_onnx(model_of(4), options_for(encoder), files.path("e.onnx_data")); },
                             {"e.onnx_data", "weights", "name another file"});
  EXPECT_EQ(read_text(files.path("e.onnx_data")), data);
  std::filesystem::remove(files.path("e.onnx_data"));
  expect_error<InvalidInput>([&] { export_onnx(model_of(4), options_for(encoder), files.path("n.onnx")); },
                             {"e.onnx_data", "not there"});
  for (const char* outside : {"../e.onnx_data", "/etc/passwd"}) {
    const std::string bad = files.file("bad.onnx", with_weights_apart(outside).bytes());
    expect_error<InvalidInput>([&] { export_onnx(model_of(4), options_for(bad), files.path("n.onnx")); },
                               {"bad.onnx", outside, "outside"});
  }
  EXPECT_FALSE(std::filesystem::exists(files.path("n.onnx")));
}

// The file of weights has holes: it takes no disk.
TEST(EncoderExport, WeightsBeyondTwoGigabytes) {
  DPPL_NEEDS_ONNX_RUNTIME();
  if (std::getenv("DPPL_LONG_TESTS") == nullptr) GTEST_SKIP() << "takes 5 GB of memory: ./test.sh --long runs it";
  const TempDir files;
  constexpr int64_t kRows = 190'000'000, kDim = 3;  // 2.28 GB
  constexpr uint64_t kBytes = kRows * kDim * sizeof(float);
  static_assert(kBytes > uint64_t{1} << 31);
  const std::string data = files.file("e.onnx_data", "");
  std::filesystem::resize_file(data, kBytes);
  constexpr float kLast[kDim] = {1.5f, -2.25f, 7};
  {
    std::fstream file(data, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(kBytes - sizeof kLast);
    file.write(reinterpret_cast<const char*>(kLast), sizeof kLast);
    ASSERT_TRUE(file.flush());
  }
  OnnxModel model;
  model.input("x", {-1, 3, 8, 8}).weights_in_file("w", {kRows, kDim}, "e.onnx_data").integers("last", {kRows - 1});
  model.node("Gather", {"w", "last"}, "row").node("GlobalAveragePool", {"x"}, "map").node("Flatten", {"map"}, "means");
  model.node("Add", {"means", "row"}, "embedding").output("embedding", {-1, kDim});
  const std::string encoder = files.file("e.onnx", model.bytes());
  expect_faithful(model_of(3), options_for(encoder), files.path("m.onnx"), pictures(3, 20, 11));
}

TEST(EncoderExport, WhatCannotBeUsedIsRefusedAndNothingIsWritten) {
  const TempDir files, out;
  const SmallResNet network;
  const auto refused = [&](const std::string& bytes, const PublishedModel& published,
                           std::initializer_list<std::string_view> words, bool normalised = true) {
    OnnxExportOptions options = options_for(files.file("e.onnx", bytes));
    if (!normalised) options.how.onnx.normalise.clear();
    expect_error<InvalidInput>([&] { export_onnx(published, options, out.path("m.onnx")); }, words);
    EXPECT_EQ(out.entries(), 0u);
  };
  const std::string good = network.model().bytes();
  refused("", model_of(5), {"e.onnx", "is it an ONNX model?"});
  refused("Not a model\n", model_of(5), {"e.onnx", "damaged"});
  refused(good.substr(0, good.size() / 2), model_of(5), {"e.onnx", "damaged"});
  refused(network.model().bytes(6, 3), model_of(5), {"e.onnx", "version 6", "7 or later"});
  refused(good, model_of(7), {"e.onnx", "5 values per image", "rows of 7"});
  refused(good, model_of(5), {"e.onnx", "normalised"}, false);
  OnnxModel text;
  text.input("input_ids", {-1, -1}, OnnxModel::kInt64).node("Cast", {"input_ids"}, "x", {{"to", int64_t{1}}});
  refused(text.output("x", {-1, -1}).bytes(), model_of(5), {"e.onnx", "input_ids", "text"});
  OnnxModel shapeless = network.model();
  refused(OnnxModel().input("x", {-1, 3, 8, 8}).node("Flatten", {"x"}, "y").output("y", {}).bytes(), model_of(192),
          {"e.onnx", "shape", "y"});
  OnnxModel exported = network.model();
  refused(exported.metadata("dppl.classes", "[]").bytes(), model_of(5), {"e.onnx", "export of dppl"});
  OnnxExportOptions wrong = options_for(files.file("e.onnx", good));
  wrong.how.onnx.output = "nothing";
  expect_error<InvalidInput>([&] { export_onnx(model_of(5), wrong, out.path("m.onnx")); }, {"nothing", "embedding"});
}

TEST(EncoderExport, NewerOperatorsComeWithANote) {
  const TempDir files;
  const std::string encoder = files.file("e.onnx", SmallResNet().model().bytes(23, 10));
  EXPECT_NE(export_onnx(model_of(5), options_for(encoder), files.path("m.onnx")).note.find("version 23"),
            std::string::npos);
}

// ---- A real encoder, where it lies beside the project

class RealEncoder : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(path_)) {
      GTEST_SKIP() << "no encoder at ../shared/data/efficientnet-lite4-features.onnx beside the project";
    }
  }
  const std::string path_ =
      (std::filesystem::path(DPPL_SOURCE_DIR) / "../shared/data/efficientnet-lite4-features.onnx").string();
};

TEST_F(RealEncoder, EfficientNetFromPixelsToLabel) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir files;
  OnnxExportOptions options = options_for(path_, 160);
  options.how.onnx.normalise = "tf";
  const PublishedModel published = model_of(1280, 20);
  expect_faithful(published, options, files.path("m.onnx"), pictures(4, 200, 151));
  if (testing::has_onnx_checker()) expect_passes_full_check(files.path("m.onnx"));
  options.prepared_input = true;
  expect_faithful(published, options, files.path("p.onnx"), pictures(4, 200, 151));
  if (testing::has_onnx_checker()) expect_passes_full_check(files.path("p.onnx"));
}

}  // namespace
}  // namespace dppl
