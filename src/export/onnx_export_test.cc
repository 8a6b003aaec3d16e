// The exported classifier says what the program says: in ONNX Runtime, for every kind of model.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "dppl/error.h"
#include "dppl/export.h"
#include "encoders/builtin.h"
#include "encoders/onnx_session.h"
#include "export/gradient_nodes.h"
#include "support/expect_error.h"
#include "support/fidelity.h"
#include "support/memory_images.h"
#include "support/onnx_checker.h"
#include "support/onnx_runtime.h"
#include "support/random_rows.h"
#include "support/sample_models.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using nlohmann::json;
using testing::all_sample_models;
using testing::compare_file;
using testing::expect_error;
using testing::expect_passes_full_check;
using testing::exported_outputs;
using testing::Fidelity;
using testing::OnnxRun;
using testing::picture;
using testing::random_floats;
using testing::RuntimeTensor;
using testing::TempDir;

PublishedModel published(const Model& model) { return {"small", std::string(64, 'd'), model}; }

void expect_faithful(const Fidelity& fidelity, const std::string& what, double tolerance = 1e-5) {
  EXPECT_EQ(fidelity.different, 0u) << what;
  EXPECT_LE(fidelity.scores, tolerance) << what;
  EXPECT_LE(fidelity.probabilities, 1e-5) << what;
}

// A model for rows of `dim` values with a transform and more classes than a sample has.
Model wide_model(size_t dim, size_t classes, const TransformSpec& spec, uint64_t seed = 1) {
  std::optional<PublicData> pool;
  if (spec.needs_pool()) pool = PublicData::from_memory(random_floats(200 * dim, seed + 1), dim);
  Model model = testing::mean_model();
  model.classes = ClassSet::numbered(classes);
  model.transform = PublicTransform::compute(spec, dim, pool);
  model.settings = with_transform(model.settings, spec);
  model.prototypes = random_floats(classes * model.output_dim(), seed + 2);
  return model;
}

TEST(OnnxExport, EveryKindOfModelAgreesWithTheProgram) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir files;
  for (const auto& [name, model] : all_sample_models()) {
    const std::string path = files.file(name + ".onnx", onnx_classifier(published(model)));
    const Fidelity fidelity = compare_file(model, random_floats(1000 * model.input_dim(), 7), path);
    // Of so few values some rows are almost the centre, and there the program's own product loses digits.
    expect_faithful(fidelity, name, 1e-4);
    EXPECT_EQ(fidelity.rows, 1000u);
  }
}

TEST(OnnxExport, EveryTransformAgreesWithTheProgram) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir files;
  for (const char* spec : {"none", "average:3", "center", "pca:5", "whiten:8", "whiten:8:0.2", "average:3+whiten:4"}) {
    const Model model = wide_model(20, 30, TransformSpec::parse(spec));
    const std::string path = files.file("m.onnx", onnx_classifier(published(model)));
    expect_faithful(compare_file(model, random_floats(500 * 20, 3), path), spec);
  }
}

// Rows of any length are the same direction; a row of zeros gets numbers, too.
TEST(OnnxExport, RowsOfExtremeLengths) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir files;
  const Model model = wide_model(6, 4, TransformSpec::parse("center"));
  const std::string path = files.file("m.onnx", onnx_classifier(published(model)));
  const std::vector<float> row = random_floats(6, 5);
  std::vector<float> rows;
  for (const float factor :
       {1.0f, 1e-30f, 1e-20f, 1e20f,
        3e37f / std::abs(*std::ranges::max_element(row, {}, [](float x) { return std::abs(x); })), 0.0f}) {
    for (const float value : row) rows.push_back(value * factor);
  }
  expect_faithful(compare_file(model, rows, path), "extreme");
}

TEST(OnnxExport, TheScoreScaleOfTheModelIsUsed) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir files;
  Model model = testing::mean_model();
  for (const double scale : {0.5, 15.0, 40.0}) {
    model.score_scale = scale;
    expect_faithful(compare_file(model, random_floats(300, 9), files.file("m.onnx", onnx_classifier(published(model)))),
                    fmt::format("{}", scale));
  }
}

TEST(OnnxExport, AFileTellsClassesGuaranteeAndWhereItComesFrom) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir files;
  for (const auto& [name, model] : all_sample_models()) {
    const OnnxSession session(files.file(name + ".onnx", onnx_classifier(published(model))), 1);
    ASSERT_EQ(session.inputs().size(), 1u);
    EXPECT_EQ(session.inputs()[0].describe(), fmt::format("float32 embedding [?, {}]", model.input_dim()));
    EXPECT_EQ(session.outputs().size(), 3u);
    const json classes = json::parse(session.metadata("dppl.classes"));
    ASSERT_EQ(classes.size(), model.classes.size());
    for (size_t c = 0; c < classes.size(); ++c) EXPECT_EQ(classes[c], model.classes.name(c));
    const json guarantee = json::parse(session.metadata("dppl.guarantee")), described = json::parse(model_json(model));
    for (const char* key : {"private", "unit", "relation", "guarantee", "also"}) {
      EXPECT_EQ(guarantee.at(key), described.at(key)) << name << " " << key;
    }
    EXPECT_EQ(session.metadata("dppl.model_digest"), std::string(64, 'd'));
    EXPECT_EQ(session.metadata("dppl.ledger_entry"), model.ledger_entry);
    EXPECT_EQ(session.metadata("dppl.description"), describe_model(model));
  }
}

TEST(OnnxExport, FilesPassTheFullCheck) {
  DPPL_NEEDS_ONNX_CHECKER();
  const TempDir files;
  for (const auto& [name, model] : all_sample_models())
    expect_passes_full_check(files.file(name + ".onnx", onnx_classifier(published(model))));
  expect_passes_full_check(files.file(
      "wide.onnx", onnx_classifier(published(wide_model(20, 30, TransformSpec::parse("average:3+whiten:4"))))));
  const Model images = wide_model(builtin::kDim, 10, TransformSpec::parse("none"));
  expect_passes_full_check(files.file("images.onnx", onnx_image_classifier(published(images), "builtin:hog")));
}

TEST(OnnxExport, TheDigestIsTheFilesOwn) {
  const TempDir files;
  const std::string digest = save_model(testing::mean_model(), files.path("scans.dppl"));
  const PublishedModel opened = PublishedModel::open(files.path("scans.dppl"));
  EXPECT_EQ(opened.digest, digest);
  EXPECT_EQ(opened.name, "scans");
  EXPECT_EQ(opened.model.prototypes, testing::mean_model().prototypes);
}

// ---- The built-in encoder as nodes

RuntimeTensor tensor_of(const std::vector<Image>& images) {
  RuntimeTensor result{{static_cast<int64_t>(images.size()), static_cast<int64_t>(images[0].height),
                        static_cast<int64_t>(images[0].width), static_cast<int64_t>(images[0].channels)},
                       {}};
  std::vector<uint8_t> pixels;
  for (const Image& image : images) pixels.insert(pixels.end(), image.pixels.begin(), image.pixels.end());
  result.values = std::move(pixels);
  return result;
}

std::vector<float> encode(Encoder& encoder, const std::vector<Image>& images) {
  std::vector<float> inputs(images.size() * encoder.input_size()), rows(images.size() * encoder.dim());
  for (size_t i = 0; i < images.size(); ++i) {
    encoder.prepare(images[i], std::span(inputs).subspan(i * encoder.input_size(), encoder.input_size()));
  }
  encoder.encode(inputs, images.size(), rows);
  return rows;
}

// A picture with flat parts, where roots of zero must stay zero.
Image flat_picture(size_t width, size_t height, size_t channels) {
  Image image = picture(width, height, channels, 3);
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    if (i % (width * channels) > width * channels / 2) image.pixels[i] = static_cast<uint8_t>(77 + 31 * (i % channels));
  }
  return image;
}

TEST(OnnxExport, TheBuiltInEncoderGivesTheSameRows) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir files;
  onnx::Graph graph(13);
  graph.input({"image", onnx::Type::uint8, {"N", "height", "width", "channels"}});
  graph.output({onnx::add_builtin_encoder(graph, "image"), onnx::Type::float32, {"N", int64_t{builtin::kDim}}});
  const OnnxRun run(files.file("hog.onnx", onnx::whole_model(graph, "hog", {})));
  const auto encoder = builtin_encoder("builtin:hog", 1);
  for (const auto& [width, height] : {std::pair<size_t, size_t>{28, 28}, {64, 40}, {13, 200}, {1, 1}, {29, 27}}) {
    for (const size_t channels : {size_t{1}, size_t{3}}) {
      const std::vector<Image> images{picture(width, height, channels, 1), flat_picture(width, height, channels),
                                      Image{width, height, channels, std::vector<uint8_t>(width * height * channels)}};
      const std::vector<float> expected = encode(*encoder, images);
      const auto got = run("image", tensor_of(images), {"embedding_of_image"}).at(0).floats();
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], expected[i], 1e-6) << width << " × " << height << " × " << channels << ", value " << i;
    }
  }
}

TEST(OnnxExport, OtherEncodersAndDimensionsAreRefused) {
  const PublishedModel small = published(testing::mean_model());
  expect_error<InvalidInput>([&] { onnx_image_classifier(small, "builtin:hog"); }, {"builtin:hog", "817", "rows of 3"});
  expect_error<InvalidInput>([&] { onnx_image_classifier(small, "builtin:cnn"); }, {"builtin:cnn", "not known"});
  const TempDir files;
  OnnxExportOptions options{.encoder = "builtin:hog", .how = {}};
  options.how.size = 28;
  const PublishedModel fitting = published(wide_model(builtin::kDim, 3, TransformSpec::parse("none")));
  expect_error<InvalidInput>([&] { export_onnx(fitting, options, files.path("m.onnx")); }, {"builtin:hog", "size"});
  EXPECT_EQ(files.entries(), 0u);
}

// ---- On ten thousand real rows

// Class means of transformed rows, whatever they are worth: what counts is that rows and scores are real ones.
Model means_model(const std::vector<float>& rows, size_t dim, const std::vector<int64_t>& labels, size_t classes,
                  const char* transform) {
  const TransformSpec spec = TransformSpec::parse(transform);
  const PublicData pool = PublicData::from_memory(rows, dim);
  Model model = testing::mean_model();
  model.classes = ClassSet::numbered(classes);
  model.transform = PublicTransform::compute(spec, dim, pool);
  model.settings = with_transform(model.settings, spec);
  const size_t out = model.output_dim();
  std::vector<float> transformed(labels.size() * out);
  model.transform.apply(rows, transformed);
  model.prototypes.assign(classes * out, 0);
  for (size_t i = 0; i < labels.size(); ++i) {
    for (size_t k = 0; k < out; ++k)
      model.prototypes[static_cast<size_t>(labels[i]) * out + k] += transformed[i * out + k];
  }
  return model;
}

void expect_ten_thousand_faithful(const Fidelity& fidelity, const std::string& what) {
  std::cout << fmt::format(
      "{}: {} rows, {} labels differ, {} more at ties; scores differ by {:.1e}, probabilities by {:.1e}\n", what,
      fidelity.rows, fidelity.different, fidelity.ties, fidelity.scores, fidelity.probabilities);
  EXPECT_EQ(fidelity.rows, 10'000u);
  expect_faithful(fidelity, what);
}

class FashionMnist : public ::testing::Test {
 protected:
  static constexpr const char* kFolder = "/usr/share/datasets/fashion-mnist";

  void SetUp() override {
    if (!std::filesystem::exists(kFolder)) GTEST_SKIP() << "Debian's dataset-fashion-mnist is not installed";
    const auto source = open_images(std::string(kFolder) + "/t10k-images-idx3-ubyte.gz");
    for (size_t i = 0; i < source->size(); ++i) images_.push_back(source->read(i));
    labels_ = *source->labels();
    rows_ = encode(*builtin_encoder("builtin:hog", 2), images_);
  }

  // All images, in runs of 500.
  std::vector<RuntimeTensor> run_on_images(const std::string& path) const {
    const OnnxRun run(path);
    std::vector<int64_t> labels;
    std::vector<float> scores, probabilities;
    for (size_t first = 0; first < images_.size(); first += 500) {
      const auto out = run("image",
                           tensor_of({images_.begin() + static_cast<ptrdiff_t>(first),
                                      images_.begin() + static_cast<ptrdiff_t>(first + 500)}),
                           exported_outputs());
      labels.insert(labels.end(), out[0].integers().begin(), out[0].integers().end());
      scores.insert(scores.end(), out[1].floats().begin(), out[1].floats().end());
      probabilities.insert(probabilities.end(), out[2].floats().begin(), out[2].floats().end());
    }
    return {{{}, labels}, {{}, scores}, {{}, probabilities}};
  }

  std::vector<Image> images_;
  std::vector<int64_t> labels_;
  std::vector<float> rows_;
};

TEST_F(FashionMnist, LabelsOfTenThousandImagesAreTheProgramsOwn) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const TempDir files;
  for (const char* transform : {"none", "whiten:64"}) {
    const Model model = means_model(rows_, builtin::kDim, labels_, 10, transform);
    const std::string rows_path = files.file("rows.onnx", onnx_classifier(published(model))),
                      image_path = files.file("image.onnx", onnx_image_classifier(published(model), "builtin:hog"));
    expect_ten_thousand_faithful(compare_file(model, rows_, rows_path), fmt::format("{}, embeddings", transform));
    expect_ten_thousand_faithful(
        compare(Classifier(model), Embeddings::from_memory(rows_, builtin::kDim), run_on_images(image_path)),
        fmt::format("{}, images", transform));
  }
}

// CIFAR-100 in EfficientNet-Lite4's features, where they lie beside the project.
TEST(RealDataExport, LabelsOfTenThousandRowsAreTheProgramsOwn) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const std::filesystem::path folder = std::filesystem::path(DPPL_SOURCE_DIR) / "../shared/data";
  if (!std::filesystem::exists(folder / "cifar100_test_x.npy"))
    GTEST_SKIP() << "no embeddings at ../shared/data beside the project: this test needs CIFAR-100 there";
  const Embeddings file = Embeddings::open((folder / "cifar100_test_x.npy").string());
  std::vector<float> rows(file.rows() * file.dim());
  for (size_t i = 0; i < file.rows(); ++i) file.row(i, std::span(rows).subspan(i * file.dim(), file.dim()));
  const std::vector<int64_t> labels = read_labels((folder / "cifar100_test_y.npy").string());
  const TempDir files;
  for (const char* transform : {"none", "whiten:128"}) {
    const Model model = means_model(rows, file.dim(), labels, 100, transform);
    const std::string path = files.file("m.onnx", onnx_classifier(published(model)));
    expect_ten_thousand_faithful(compare_file(model, rows, path), fmt::format("CIFAR-100, {}", transform));
  }
}

}  // namespace
}  // namespace dppl
