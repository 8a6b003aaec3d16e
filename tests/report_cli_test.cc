#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/vega.h"
#include "support/html_checks.h"
#include "support/run_program.h"
#include "support/small_pictures.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::count_of;
using testing::SmallPictures;
using testing::TempDir;

TEST(ReportCommand, PutsEverythingOnOnePage) {
  const TempDir dir;
  const SmallPictures world(dir);
  const std::string a = world.fit("a", {"--method", "public", "--epsilon", "2"}),
                    b = world.fit("b", {"--method", "mean", "--transform", "center", "--rho", "1"});
  const std::string page = testing::read_text(world.report({a, "careful=" + b}));
  testing::expect_sound_page(page);
  // Scripts may name the element, too.
  EXPECT_EQ(count_of(page, "<img ") - count_of(vega_library(), "<img "), 3u * (1 + 4));
  for (const char* measure : {">Accuracy<", ">Balanced accuracy<", ">Minority accuracy<"})
    EXPECT_EQ(count_of(page, measure), 2u) << measure;  // the numbers of two models
  for (const char* part : {"id=\"ledger\"", "id=\"recalls\"", ">careful<", "Models for release", "public-k"}) {
    EXPECT_EQ(page.find(part) == std::string::npos, std::string_view(part) == "public-k") << part;
  }
  EXPECT_EQ(page.find(dir.path("")), std::string::npos) << "paths of this machine are nobody's business";
}

TEST(ReportCommand, TellsMachines) {
  const TempDir dir;
  const SmallPictures world(dir);
  const std::string model =
      world.fit("m", {"--method", "mean", "--transform", "center", "--rho", "1", "--seed", "1", "--not-private"});
  const std::string page = dir.path("m.html");
  const auto result = run_program(
      {"report", model, "-o", page, "--in", dir.path("test-x.npy"), "--labels", dir.path("test-y.npy"), "--json"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("NOT PRIVATE"), std::string::npos);
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json.at("report"), page);
  EXPECT_EQ(json.at("bytes"), testing::read_text(page).size());
  EXPECT_EQ(json.at("models").at(0).at("private"), false);
  EXPECT_GT(json.at("models").at(0).at("accuracy"), 0.3);
  EXPECT_NE(testing::read_text(page).find("NOT PRIVATE: do not publish."), std::string::npos);
}

TEST(ReportCommand, RefusesInOneLineAndWritesNothing) {
  const TempDir dir;
  const SmallPictures world(dir);
  const std::string model = world.fit("m", {"--method", "public", "--epsilon", "2"}), page = dir.path("m.html");
  const size_t before = dir.entries();
  for (const auto& [more, words] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{dir.path("none.dppl")}, "none.dppl"},
           {{"label=" + dir.path("none.dppl")}, "none.dppl"},
           {{"--images", dir.path("images.npy")}, "40 rows, but there are 60 images"},
           {{"--images", dir.path("images.npy"), "--image-rows", "30:70"}, "there are 60 images"},
           {{"--images", dir.path("images.npy"), "--image-rows", "9:9"}, "FIRST < END"},
           {{"--images", dir.path("none.npy")}, "none.npy"},
           {{"--images", dir.path("images.npy"), "--image-rows", "20:60", "--pool", dir.path("x.npy")},
            "is not the pool"},
           {{"--in", dir.path("x.npy"), "--labels", dir.path("test-y.npy")}, "one label per row"},
           {{"--in", dir.path("x.npy"), "--labels", dir.path("test-y.npy"), "--show-private-errors"}, "90 rows"},
           {{"--ledger", dir.path("ledger"), "--dataset", "nobody"}, "nobody"},
           {{"--ledger", dir.path("none"), "--dataset", "bands"}, "none"}}) {
    std::vector<std::string> args = {"report", model, "-o", page};
    args.insert(args.end(), more.begin(), more.end());
    const auto result = run_program(args);
    EXPECT_EQ(result.status, 1) << words;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(dir.entries(), before);
  }
}

TEST(ReportCommand, WrongUsageExitsWithTwo) {
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"report"},
                                             {"report", "m.dppl"},
                                             {"report", "-o", "p.html"},
                                             {"report", "m.dppl", "-o", "p.html", "--in", "x.npy"},
                                             {"report", "m.dppl", "-o", "p.html", "--rows", "r.npy"},
                                             {"report", "m.dppl", "-o", "p.html", "--train-labels", "y.npy"},
                                             {"report", "m.dppl", "-o", "p.html", "--ledger", "l"},
                                             {"report", "m.dppl", "-o", "p.html", "--pool", "p.npy"},
                                             {"report", "m.dppl", "-o", "p.html", "--image-rows", "0:1"}}) {
    EXPECT_EQ(run_program(args).status, 2);
  }
  EXPECT_NE(run_program({"report", "--help"}).out.find("Example"), std::string::npos);
}

}  // namespace
}  // namespace dppl
