// `dppl export --page` on the command line; what the page does is tested in page_browser_test.cc.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "export/page/embedded.h"
#include "support/run_program.h"
#include "support/small_pictures.h"

namespace dppl {
namespace {

using testing::SmallPictures;
using testing::TempDir;

class PageCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    if (page::runtime().empty()) GTEST_SKIP() << "built without ONNX Runtime Web (scripts/setup-ort-web.sh)";
  }

  RunResult run(std::vector<std::string> options) const {
    options.insert(options.begin(), {"export", model_});
    return run_program(std::move(options));
  }
  void expect_refused(int status, const std::vector<std::string>& options, const std::string& words) const {
    const RunResult result = run(options);
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(dir.path("page")));
  }

  const TempDir dir;
  const SmallPictures world_{dir};
  const std::string model_ = world_.fit("model", {"--method", "public", "--epsilon", "8"});
};

TEST_F(PageCommand, WritesAPageAndSaysSo) {
  const RunResult result = run({"--page", dir.path("page"), "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json.at("private"), true);
  EXPECT_EQ(json.at("page").at("path"), dir.path("page/index.html"));
  EXPECT_EQ(json.at("page").at("bytes"), std::filesystem::file_size(dir.path("page/index.html")));
  const std::string html = testing::read_text(dir.path("page/index.html"));
  EXPECT_NE(html.find("<title>model</title>"), std::string::npos);
  EXPECT_EQ(html.find("id=\"prototypes\""), std::string::npos) << "no images were given";
}

TEST_F(PageCommand, ShowsThePublicImagesThatItIsGiven) {
  const RunResult result = run(
      {"--page", dir.path("page"), "--title", "Bands", "--images", dir.path("images.npy"), "--image-rows", "20:60"});
  ASSERT_EQ(result.status, 0) << result.err;
  const std::string html = testing::read_text(dir.path("page/index.html"));
  EXPECT_NE(html.find("<title>Bands</title>"), std::string::npos);
  EXPECT_NE(html.find("id=\"prototypes\""), std::string::npos);
}

TEST_F(PageCommand, RefusesWhatDoesNotFitAndWritesNothing) {
  expect_refused(2, {}, "--page");
  expect_refused(2, {"--page", dir.path("page"), "-o", dir.path("model.onnx")}, "does not go with");
  expect_refused(2, {"--page", dir.path("page"), "--card"}, "one at a time");
  expect_refused(2, {"-o", dir.path("model.onnx"), "--title", "Bands"}, "goes with --page");
  expect_refused(2, {"-o", dir.path("model.onnx"), "--images", dir.path("images.npy")}, "goes with --page");
  expect_refused(2, {"--page", dir.path("page"), "--pool", dir.path("pool.npy")}, "goes with --images");
  expect_refused(1, {"--page", dir.path("page"), "--images", dir.path("images.npy")}, "its pool has 40 rows");
  expect_refused(1, {"--page", dir.path("page"), "--encoder", "builtin:hog"}, "the model takes rows of 64");
  expect_refused(1, {"--page", dir.path("page"), "--encoder", dir.path("absent.onnx")}, "absent.onnx");
  const std::string file = dir.file("file", "mine");
  expect_refused(1, {"--page", file}, file);
}

}  // namespace
}  // namespace dppl
