// dppl export as a user runs it: files, papers, and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "dppl/model.h"
#include "support/fidelity.h"
#include "support/npy_bytes.h"
#include "support/onnx_checker.h"
#include "support/onnx_model.h"
#include "support/onnx_runtime.h"
#include "support/random_rows.h"
#include "support/run_program.h"
#include "support/sample_models.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using nlohmann::json;
using testing::npy_bytes;
using testing::raw;
using testing::read_text;
using testing::TempDir;

class ExportCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    save_model(testing::mean_model(), path("m.dppl"));
    save_model(testing::public_k_model(), path("named.dppl"));
    before_ = files_.entries();
  }

  std::string path(const std::string& name) const { return files_.path(name); }

  RunResult run(const std::string& model, std::vector<std::string> more) const {
    std::vector<std::string> args{"export", path(model)};
    args.insert(args.end(), more.begin(), more.end());
    return run_program(args);
  }

  void expect_refused(const std::vector<std::string>& more, int status, const std::string& words) const {
    const RunResult result = run("m.dppl", more);
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_EQ(files_.entries(), before_) << "nothing is written";
  }

  // PyYAML reads a text as YAML 1.1, as the hub and the registry do; as JSON.
  json parse_yaml(const std::string& file) const {
    const RunResult result = testing::run_onnx_python(
        "import json, sys, yaml\n"
        "text = open(sys.argv[1]).read()\n"
        "print(json.dumps(next(yaml.safe_load_all(text))))\n",
        {file});
    EXPECT_EQ(result.status, 0) << result.err;
    return json::parse(result.out, nullptr, false);
  }
  static bool has_yaml() { return testing::run_onnx_python("import yaml").status == 0; }

  TempDir files_;
  size_t before_ = 0;
};

TEST_F(ExportCommand, WritesAClassifierThatSaysWhatPredictSays) {
  DPPL_NEEDS_ONNX_RUNTIME();
  const RunResult result = run("m.dppl", {"-o", path("m.onnx"), "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json told = json::parse(result.out);
  EXPECT_EQ(told["onnx"]["path"], path("m.onnx"));
  EXPECT_EQ(told["onnx"]["bytes"], std::filesystem::file_size(path("m.onnx")));
  EXPECT_EQ(told["onnx"]["opset"], 13);
  EXPECT_EQ(told["onnx"]["input"], (json{{"name", "embedding"}, {"type", "float32"}, {"shape", {"N", "3"}}}));
  EXPECT_EQ(told["private"], true);

  const std::vector<float> rows = testing::random_floats(300, 4);
  files_.file("x.npy", npy_bytes("<f4", "(100, 3)", raw(rows)));
  ASSERT_EQ(run_program({"predict", path("m.dppl"), "--in", path("x.npy"), "-o", path("y.npy"), "--probabilities",
                         path("p.npy")})
                .status,
            0);
  const auto out = testing::OnnxRun(path("m.onnx"))("embedding", {{100, 3}, rows}, {"label", "probabilities"});
  EXPECT_EQ(out[0].integers(), read_labels(path("y.npy")));
  const Embeddings probabilities = Embeddings::open(path("p.npy"));
  for (size_t i = 0; i < 100; ++i) {
    std::vector<float> row(2);
    probabilities.row(i, row);
    EXPECT_NEAR(out[1].floats()[2 * i], row[0], 1e-5);
  }
}

TEST_F(ExportCommand, OneFileFromPixelsToLabel) {
  DPPL_NEEDS_ONNX_RUNTIME();
  Model model = testing::mean_model();
  model.transform = PublicTransform::restore({TransformSpec::Kind::none}, 5, {}, {});
  model.prototypes = testing::random_floats(10, 3);
  model.sums.assign(10, 1);
  save_model(model, path("five.dppl"));
  files_.file("e.onnx", testing::SmallResNet().model().bytes());
  const RunResult result =
      run("five.dppl", {"--encoder", path("e.onnx"), "--size", "8", "--normalise", "half", "-o", path("five.onnx")});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("in         uint8 image [N, height, width, channels]"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("images     in the graph: 8 × 8, bicubic"), std::string::npos) << result.err;
  const auto out = testing::OnnxRun(path("five.onnx"))(
      "image", {{2, 10, 12, 3}, std::vector<uint8_t>(2 * 10 * 12 * 3, 9)}, {"label", "embedding"});
  EXPECT_EQ(out[0].shape, std::vector<int64_t>{2});
  EXPECT_EQ(out[1].shape, (std::vector<int64_t>{2, 5}));

  const std::string encoder = read_text(path("e.onnx"));
  const RunResult same =
      run("five.dppl", {"--encoder", path("e.onnx"), "--size", "8", "--normalise", "half", "-o", path("e.onnx")});
  EXPECT_EQ(same.status, 1);
  EXPECT_NE(same.err.find("is an input of this command"), std::string::npos) << same.err;
  EXPECT_EQ(read_text(path("e.onnx")), encoder);
}

TEST_F(ExportCommand, WrongUsageAndBadInput) {
  expect_refused({}, 2, "-o, --page, --card, --registry or --kserve");
  expect_refused({"--card", "--registry"}, 2, "one at a time");
  expect_refused({"--kserve", path("k"), "-o", path("x.onnx")}, 2, "does not go with --kserve");
  expect_refused({"-o", path("x.onnx"), "--license", "mit"}, 2, "go with --card or --registry");
  expect_refused({"-o", path("x.onnx"), "--in", path("x.npy"), "--labels", path("y.npy")}, 2, "goes with --card");
  expect_refused({"-o", path("x.onnx"), "--storage-uri", "s3://x"}, 2, "goes with --kserve");
  expect_refused({"--registry", "--date", "yesterday"}, 2, "not a date");
  expect_refused({"-o", path("m.dppl")}, 1, "is an input of this command");
  expect_refused({"-o", path("x.onnx"), "--size", "8"}, 1, "for encoders in ONNX's format");
  expect_refused({"-o", path("x.onnx"), "--encoder", "builtin:hog"}, 1, "rows of 3");
  expect_refused({"-o", path("x.onnx"), "--encoder", path("missing.onnx")}, 1, "missing.onnx");
  expect_refused({"-o", path("nowhere/x.onnx")}, 1, "nowhere");
  const RunResult missing = run("nothing.dppl", {"--card"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_NE(missing.err.find("nothing.dppl"), std::string::npos);
}

TEST_F(ExportCommand, AModelThatIsNotPrivateSaysSoEverywhere) {
  save_model(testing::seeded_model(), path("seeded.dppl"));
  const RunResult onnx = run("seeded.dppl", {"-o", path("s.onnx"), "--json"});
  EXPECT_NE(onnx.err.find("NOT PRIVATE"), std::string::npos);
  EXPECT_EQ(json::parse(onnx.out)["private"], false);
  EXPECT_NE(read_text(path("s.onnx")).find("\"private\":false"), std::string::npos);
  EXPECT_NE(run("seeded.dppl", {"--card"}).out.find("**NOT PRIVATE.**"), std::string::npos);
  EXPECT_NE(run("seeded.dppl", {"--registry"}).out.find("NOT PRIVATE"), std::string::npos);
}

TEST_F(ExportCommand, ACardHasTheGuaranteeAndWhatIsNotProtected) {
  const RunResult result = run("named.dppl", {"--card", "--name", "Squirrels | and cats"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("no licence"), std::string::npos) << result.err;
  for (const char* words :
       {"# Squirrels \\| and cats", "## The privacy guarantee", "Adding or removing one person's record",
        "## What is not protected", "## Intended use", "Eichhörnchen 🐿", "model digest"}) {
    EXPECT_NE(result.out.find(words), std::string::npos) << words;
  }
  EXPECT_EQ(result.out.find("## Accuracy"), std::string::npos) << "nothing was measured";
  EXPECT_EQ(files_.entries(), before_) << "without -o it is printed";
}

TEST_F(ExportCommand, TheCardsHeaderIsWhatTheHubReads) {
  if (!has_yaml()) GTEST_SKIP() << "without Debian's python3-yaml: scripts/setup.sh --test installs it";
  files_.file("x.npy", npy_bytes("<f4", "(3, 3)", raw(std::vector<float>{1, 0, 0, 0, 1, 0, 1, 0.1f, 0})));
  files_.file("y.npy", npy_bytes("<i4", "(3,)", raw(std::vector<int32_t>{0, 1, 1})));
  const RunResult result =
      run("m.dppl", {"--card", "--license", "cc-by-4.0", "--base-model", "facebook/dinov2-base", "--test-name",
                     "Ward 3", "--in", path("x.npy"), "--labels", path("y.npy"), "-o", path("README.md")});
  ASSERT_EQ(result.status, 0) << result.err;
  const json header = parse_yaml(path("README.md"));
  EXPECT_EQ(header["license"], "cc-by-4.0");
  EXPECT_EQ(header["base_model"], "facebook/dinov2-base");
  EXPECT_EQ(header["metrics"], json{"accuracy"});
  EXPECT_EQ(header["tags"][0], "differential-privacy");
  const json measured = header["model-index"][0]["results"][0];
  EXPECT_EQ(header["model-index"][0]["name"], "m");
  EXPECT_EQ(measured["dataset"]["name"], "Ward 3");
  EXPECT_EQ(measured["metrics"][0], (json{{"type", "accuracy"}, {"name", "Accuracy"}, {"value", 0.6667}}));
  EXPECT_EQ(measured["metrics"][1]["value"], 0.75);
  const std::string text = read_text(path("README.md"));
  EXPECT_NE(text.find("| 0 | 1 | 100.00% |\n| 1 | 2 | 50.00% |"), std::string::npos) << text;
  EXPECT_NE(text.find("are not private"), std::string::npos);
}

TEST_F(ExportCommand, TheRegistrysFieldsAreFilled) {
  if (!has_yaml()) GTEST_SKIP() << "without Debian's python3-yaml: scripts/setup.sh --test installs it";
  const RunResult result = run("named.dppl", {"--registry", "--name", "Animals, 2 kinds", "--curator", "Zoo",
                                              "--region", "Europe", "--intended-use", "To count them", "--sector",
                                              "Education", "--date", "2026-12-31", "-o", path("r.yaml")});
  ASSERT_EQ(result.status, 0) << result.err;
  const json entry = parse_yaml(path("r.yaml"));
  EXPECT_EQ(entry["url_slug"], "animals-2-kinds-zoo-2026");
  EXPECT_EQ(entry["status"], "Draft");
  const json deployment = entry["deployment"];
  EXPECT_EQ(deployment["product"]["data_curators"], json{"Zoo"});
  EXPECT_EQ(deployment["product"]["data_product_type"], "Machine learning model");
  EXPECT_EQ(deployment["product"]["publication_date"], "2026-12-31");
  EXPECT_EQ(deployment["dp_flavor"]["name"], "Approximate DP");
  EXPECT_NE(deployment["dp_flavor"]["input_metric"].get<std::string>().find("symmetric"), std::string::npos);
  const auto unprotected = deployment["dp_flavor"]["unprotected_quantities"].get<std::string>();
  EXPECT_NE(unprotected.find("- About how many records each class has"), std::string::npos) << unprotected;
  EXPECT_EQ(deployment["privacy_loss"]["privacy_unit"], "Record-level");
  EXPECT_EQ(deployment["privacy_loss"]["privacy_parameters"]["delta"], 1e-5) << "a number, not a text";
  EXPECT_GT(deployment["privacy_loss"]["privacy_parameters"]["epsilon"], 0.9);
  // The registry's schema takes no others.
  const std::map<std::string, std::set<std::string>> fields{
      {"product",
       {"name", "data_curators", "intended_use", "data_product_type", "data_product_region", "description",
        "publication_date", "data_product_sector"}},
      {"dp_flavor",
       {"name", "input_metric", "bound_on_input_distance", "output_measure", "bound_on_output_distance", "data_domain",
        "unprotected_quantities"}},
      {"privacy_loss",
       {"privacy_unit", "privacy_unit_description", "privacy_parameters", "privacy_parameters_description"}},
      {"model", {"model_name", "actors", "release_type", "data_source_type", "access_type"}},
      {"accounting", {"post_processing", "composition"}},
      {"implementation", {"pre_processing_eda_hyperparameter_tuning", "mechanisms", "justification"}},
      {"resources", {"notes", "registry_authors"}}};
  EXPECT_EQ(deployment.size(), fields.size());
  for (const auto& [part, names] : fields) {
    std::set<std::string> found;
    for (const auto& [key, value] : deployment[part].items()) found.insert(key);
    EXPECT_EQ(found, names) << part;
  }

  const RunResult blank = run("m.dppl", {"--registry"});
  EXPECT_NE(blank.err.find("--curator, --intended-use, --region"), std::string::npos) << blank.err;
  save_model(testing::for_people(testing::mean_model()), path("people.dppl"));
  EXPECT_NE(run("people.dppl", {"--registry"}).out.find("Person-level"), std::string::npos);
}

TEST_F(ExportCommand, AFolderForTritonAndKserve) {
  const RunResult result = run("m.dppl", {"--kserve", path("served"), "--storage-uri", "s3://bucket/m", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["kserve"]["path"], path("served"));
  const std::string config = read_text(path("served/m/config.pbtxt"));
  for (const char* words : {"name: \"m\"", "platform: \"onnxruntime_onnx\"", "name: \"embedding\"", "dims: [ 3 ]",
                            "data_type: TYPE_INT64", "reshape: { shape: [ ] }", "dynamic_batching"}) {
    EXPECT_NE(config.find(words), std::string::npos) << words << "\n" << config;
  }
  EXPECT_TRUE(std::filesystem::exists(path("served/m/1/model.onnx")));
  EXPECT_NE(read_text(path("served/inference-service.yaml")).find("storageUri: \"s3://bucket/m\""), std::string::npos);
  EXPECT_EQ(files_.entries(), before_ + 1) << "nothing is left aside";

  const RunResult again = run("m.dppl", {"--kserve", path("served")});
  EXPECT_EQ(again.status, 1);
  EXPECT_NE(again.err.find("is there already"), std::string::npos) << again.err;
  const RunResult refused = run("m.dppl", {"--kserve", path("other"), "--encoder", "builtin:hog"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_FALSE(std::filesystem::exists(path("other")));
  EXPECT_EQ(files_.entries(), before_ + 1);
}

}  // namespace
}  // namespace dppl
