// Class probabilities as a user gets them: dppl predict --probabilities, and what dppl eval says about them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "dppl/model.h"
#include "support/npy_bytes.h"
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

// Two classes, whose prototypes are the first two axes.
class PredictCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    save_model(testing::mean_model(), path("m.dppl"));
    // Cosines: (1, 0), (0, 1), (20/29, 21/29), (0.96, 0.28), (0, 0).
    files_.file("x.npy",
                npy_bytes("<f4", "(5, 3)", raw(std::vector<float>{1, 0, 0, 0, 5, 0, 20, 21, 0, 24, 7, 0, 0, 0, 2})));
    // All but the third are right; the last is as near to both classes, and the first of them is taken.
    files_.file("y.npy", npy_bytes("<i4", "(5,)", raw(std::vector<int32_t>{0, 1, 0, 0, 0})));
    before_ = files_.entries();
  }

  std::string path(const char* name) const { return files_.path(name); }

  RunResult predict(std::vector<std::string> more) const {
    std::vector<std::string> args{"predict", path("m.dppl"), "--in", path("x.npy")};
    args.insert(args.end(), more.begin(), more.end());
    return run_program(args);
  }

  RunResult eval(std::vector<std::string> more) const {
    std::vector<std::string> args{"eval", path("m.dppl"), "--in", path("x.npy"), "--labels", path("y.npy")};
    args.insert(args.end(), more.begin(), more.end());
    return run_program(args);
  }

  // What softmax makes of the cosines above: of two classes, that is a logistic function of their difference.
  static std::vector<double> first_class(double scale) {
    std::vector<double> result;
    for (const double difference : {1.0, -1.0, -1.0 / 29, 0.68, 0.0}) {
      result.push_back(1 / (1 + std::exp(-scale * difference)));
    }
    return result;
  }

  static void expect_probabilities(const std::string& file, double scale) {
    const Embeddings read = Embeddings::open(file);
    ASSERT_EQ(read.rows(), 5u);
    ASSERT_EQ(read.dim(), 2u);
    EXPECT_EQ(read.dtype(), DType::float32);
    const std::vector<double> first = first_class(scale);
    for (size_t i = 0; i < read.rows(); ++i) {
      std::vector<float> row(2);
      read.row(i, row);
      EXPECT_NEAR(static_cast<double>(row[0]), first[i], 1e-5) << "row " << i;
      EXPECT_NEAR(static_cast<double>(row[1]), 1 - first[i], 1e-5) << "row " << i;
    }
  }

  TempDir files_;
  size_t before_ = 0;
};

TEST_F(PredictCommand, WritesProbabilities) {
  const RunResult result = predict({"--probabilities", path("p.npy")});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "") << "classes are printed where nothing is written";
  EXPECT_NE(result.err.find("5 rows classified"), std::string::npos) << result.err;
  expect_probabilities(path("p.npy"), 15);
  EXPECT_EQ(files_.entries(), before_ + 1);
}

TEST_F(PredictCommand, TheSameProbabilitiesWhateverElseIsWritten) {
  ASSERT_EQ(predict({"--probabilities", path("p.npy")}).status, 0);
  ASSERT_EQ(predict({"-o", path("y1.npy"), "--scores", path("s1.npy")}).status, 0);
  const RunResult all = predict({"--probabilities", path("p2.npy"), "-o", path("y2.npy"), "--scores", path("s2.npy"),
                                 "--threads", "1", "--json"});
  ASSERT_EQ(all.status, 0) << all.err;
  EXPECT_EQ(read_text(path("p2.npy")), read_text(path("p.npy")));
  EXPECT_EQ(read_text(path("y2.npy")), read_text(path("y1.npy")));
  EXPECT_EQ(read_text(path("s2.npy")), read_text(path("s1.npy")));
  EXPECT_EQ(read_labels(path("y2.npy")), (std::vector<int64_t>{0, 1, 1, 0, 0}));
  const auto told = json::parse(all.out);
  EXPECT_EQ(told["n"], 5);
  EXPECT_EQ(told["output"], path("y2.npy"));
  EXPECT_EQ(told["scores"], path("s2.npy"));
  EXPECT_EQ(told["probabilities"], path("p2.npy"));
  EXPECT_FALSE(told.contains("labels"));

  const RunResult alone = predict({"--probabilities", path("p.npy"), "--json"});
  EXPECT_FALSE(json::parse(alone.out).contains("labels"));
  EXPECT_FALSE(json::parse(predict({"--json"}).out).contains("probabilities"));
}

TEST_F(PredictCommand, TheScoreScaleOfTheModelIsUsed) {
  Model model = testing::mean_model();
  model.score_scale = 2.5;
  save_model(model, path("m.dppl"));
  ASSERT_EQ(predict({"--probabilities", path("p.npy")}).status, 0);
  expect_probabilities(path("p.npy"), 2.5);
  EXPECT_EQ(json::parse(run_program({"inspect", path("m.dppl"), "--json"}).out).at("score_scale"), 2.5);
}

TEST_F(PredictCommand, NothingThatIsNeededIsOverwritten) {
  const std::string rows = read_text(path("x.npy")), model = read_text(path("m.dppl"));
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--probabilities", path("x.npy")},
                                             {"--probabilities", path("m.dppl")},
                                             {"--probabilities", path("p.npy"), "-o", path("p.npy")},
                                             {"--probabilities", path("p.npy"), "--scores", path("p.npy")}}) {
    const RunResult result = predict(more);
    EXPECT_EQ(result.status, 1);
    EXPECT_NE(result.err.find(more[1]), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  EXPECT_EQ(read_text(path("x.npy")), rows);
  EXPECT_EQ(read_text(path("m.dppl")), model);
  EXPECT_EQ(files_.entries(), before_);
}

TEST_F(PredictCommand, FilesAppearCompleteOrNotAtAll) {
  EXPECT_EQ(predict({"--scores", path("s.npy"), "--probabilities", path("no/such/p.npy")}).status, 1);
  EXPECT_EQ(files_.entries(), before_);
  files_.file("x.npy", npy_bytes("<f4", "(1, 2)", raw(std::vector<float>{1, 0})));
  EXPECT_EQ(predict({"--scores", path("s.npy"), "--probabilities", path("p.npy")}).status, 1) << "another dimension";
  EXPECT_EQ(files_.entries(), before_);
}

TEST_F(PredictCommand, EvalTellsHowFarProbabilitiesCanBeTrusted) {
  const RunResult result = eval({"--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto told = json::parse(result.out);
  EXPECT_EQ(told["accuracy"], 0.8);
  // The surest three share the last bin and are right; the third row is wrong, and the last right at 50%.
  const std::vector<double> first = first_class(15);
  const double sure = 3 - first[0] - (1 - first[1]) - first[3], wrong = 1 - first[2], even = 0.5;
  ASSERT_LT(wrong, 14.0 / 15) << "a bin of its own";
  EXPECT_NEAR(told["expected_calibration_error"].get<double>(), (sure + wrong + even) / 5, 1e-6);
  const auto& left = told["accuracy_when_left_to_a_person"];
  ASSERT_EQ(left.size(), 3u);
  EXPECT_EQ(left[0], json({{"left", 0.1}, {"accuracy", 0.8}})) << "a tenth of five is nobody";
  EXPECT_EQ(left[1], json({{"left", 0.25}, {"accuracy", 0.75}})) << "the last row, which is right";
  EXPECT_EQ(left[2], json({{"left", 0.5}, {"accuracy", 1.0}})) << "and the third, which is wrong";
}

TEST_F(PredictCommand, EvalTellsItInWords) {
  const RunResult result = eval({});
  ASSERT_EQ(result.status, 0) << result.err;
  const double error = json::parse(eval({"--json"}).out)["expected_calibration_error"];
  for (const std::string& line : {fmt::format("calibration error  {:.2f}%\n", 100 * error),
                                  std::string("without the least certain 10%, left to a person  80.00%\n"),
                                  std::string("without the least certain 25%, left to a person  75.00%\n"),
                                  std::string("without the least certain 50%, left to a person  100.00%\n")}) {
    EXPECT_NE(result.out.find(line), std::string::npos) << line << "not in\n" << result.out;
  }
}

TEST_F(PredictCommand, HelpTeachesProbabilities) {
  EXPECT_NE(run_program({"predict", "--help"}).out.find("--probabilities P.npy"), std::string::npos);
  EXPECT_NE(run_program({"eval", "--help"}).out.find("calibration error"), std::string::npos);
}

}  // namespace
}  // namespace dppl
