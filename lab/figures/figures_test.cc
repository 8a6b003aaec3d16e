#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "dppl/error.h"
#include "dppl/sweep.h"
#include "support/expect_error.h"
#include "support/html_checks.h"
#include "support/sample_sweep.h"

namespace dppl {
namespace {

using testing::count_of;
using testing::expect_words;

SweepRow run(std::string method, std::optional<double> rho, uint64_t seed, double balanced) {
  SweepRow row;
  row.data = "digits";
  row.encoder = "vit";
  row.method = std::move(method);
  row.kind = "mean";
  row.rho = rho;
  row.seed = seed;
  row.status = "ok";
  row.accuracy = row.balanced = row.minority = balanced;
  return row;
}

SweepResults results_of(std::vector<SweepRow> rows, std::vector<std::string> figures = {}) {
  return {.title = "A sweep", .figures = std::move(figures), .rows = std::move(rows)};
}

SweepFigure only(const SweepResults& results) {
  const auto figures = draw_figures(results);
  EXPECT_EQ(figures.size(), 1u);
  return figures.front();
}

// The value of an attribute in the tag before `at`.
double before(const std::string& svg, size_t at, const std::string& attribute) {
  const std::string key = " " + attribute + "=\"";
  return std::stod(svg.substr(svg.rfind(key, at) + key.size()));
}
double height_of_label(const std::string& svg, const std::string& label) {
  const size_t at = svg.find(">" + label + "</text>");
  EXPECT_NE(at, std::string::npos) << label;
  return before(svg, at, "y") - 4;
}

TEST(SweepFigures, AllKindsAreWellFormedAndNamedApart) {
  const auto figures = draw_figures(testing::sample_sweep());
  std::set<std::string> names;
  for (const SweepFigure& figure : figures) {
    EXPECT_TRUE(names.insert(figure.name).second) << figure.name;
    EXPECT_EQ(figure.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos) << figure.name;
    EXPECT_FALSE(figure.caption.empty());
    EXPECT_NE(figure.svg.empty(), figure.table.empty()) << figure.name;
    testing::expect_balanced(figure.svg + figure.table);
    if (figure.svg.empty()) continue;
    EXPECT_TRUE(figure.svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    expect_words(figure.svg, {"<style>", "<title ", "<desc "});
    // Names of colours are for pages.
    for (const char* wrong : {"\"nan", "nan,", ",nan", "inf,", ",inf", "\"-inf", "<script", "var("}) {
      EXPECT_EQ(figure.svg.find(wrong), std::string::npos) << figure.name << " " << wrong;
    }
  }
  for (const std::string_view kind : sweep_figures()) {
    EXPECT_TRUE(std::any_of(names.begin(), names.end(), [&](const auto& name) { return name.starts_with(kind); }))
        << kind;
  }
  for (const char* lone : {"encoders", "pool-size", "pool-choice", "top-k", "top-k-best", "coinpress",
                           "coinpress-radius", "mechanisms", "projection", "class-sizes"}) {
    EXPECT_TRUE(names.contains(lone)) << lone;
  }
}

TEST(SweepFigures, PlaceTheMedianAndItsBand) {
  const auto figure = only(results_of({run("m", 1, 0, 0.2), run("m", 1, 1, 0.9), run("m", 1, 2, 0.5),
                                       run("m", 10, 0, 0.8), run("m", 10, 1, 0.6), run("m", 10, 2, 0.7)},
                                      {"budget"}));
  EXPECT_EQ(figure.name, "budget");
  const double forty = height_of_label(figure.svg, "40%"), sixty = height_of_label(figure.svg, "60%");
  const auto height = [&](double percent) { return forty + (percent - 40) / 20 * (sixty - forty); };
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  const size_t line = figure.svg.rfind("<polyline points=\"");
  ASSERT_EQ(std::sscanf(figure.svg.c_str() + line + 18, "%lf,%lf %lf,%lf", &x1, &y1, &x2, &y2), 4);
  EXPECT_NEAR(y1, height(50), 0.02);
  EXPECT_NEAR(y2, height(70), 0.02);
  EXPECT_LT(x1, x2);
  const size_t band = figure.svg.find("class=\"band");
  ASSERT_NE(band, std::string::npos);
  const size_t points = figure.svg.find("points=\"", band) + 8;
  ASSERT_EQ(std::sscanf(figure.svg.c_str() + points, "%lf,%lf %lf,%lf", &x1, &y1, &x2, &y2), 4);
  EXPECT_NEAR(y1, height(70), 0.02);  // the upper quartile of 20, 50 and 90
  EXPECT_NEAR(y2, height(75), 0.02);
  expect_words(figure.svg, {"median over 3 runs", "25% to 75%", "m: 50.00% (35.00% to 70.00%, 3 runs) at 1<"});
  EXPECT_EQ(figure.svg.find("dashed\""), std::string::npos);
}

TEST(SweepFigures, MarkWhatWasTunedOnTestAndWhatIsNotPrivate) {
  std::vector<SweepRow> rows = {run("tuned", 1, 0, 0.5), run("plain", 1, 0, 0.4), run("reference", {}, 0, 0.6)};
  rows[0].tuned_on_test = true;
  const auto figure = only(results_of(rows, {"minority"}));
  expect_words(figure.svg, {"tuned (upper bound, tuned on test)", "class=\"series-0 dashed\"", ">plain</text>",
                            "reference (no privacy)", "class=\"level\"", "Dotted: without privacy."});
  const double forty = height_of_label(figure.svg, "40%"), sixty = height_of_label(figure.svg, "60%");
  EXPECT_NE(forty, sixty);
  const size_t reference = figure.svg.rfind("class=\"level\"");
  EXPECT_NEAR(before(figure.svg, reference, "y1"), sixty, 0.02);
}

TEST(SweepFigures, NoNameBreaksOut) {
  SweepResults results = testing::sample_sweep();
  const std::string hostile = "<b>\"'&</text></svg><script>";
  for (SweepRow& row : results.rows) {
    row.method += hostile;
    row.encoder += hostile;
    row.data = hostile;
    row.error = hostile;
    if (!row.pool.empty()) row.pool += hostile;
  }
  results.title = hostile;
  for (SweepMap& map : results.maps) map.method = hostile;
  for (const SweepFigure& figure : draw_figures(results)) {
    testing::expect_balanced(figure.svg + figure.table);
    EXPECT_EQ((figure.svg + figure.table).find("<b>"), std::string::npos) << figure.name;
  }
  testing::expect_sound_page(sweep_html(results, SweepCharts::still));
  // In live charts the names stand in JSON, where nothing ends an element.
  const std::string live = sweep_html(results, SweepCharts::live);
  EXPECT_EQ(live.find("<b>"), std::string::npos);
  EXPECT_EQ(count_of(live, "<script"), count_of(live, "</script>"));
}

TEST(SweepFigures, SayWhatIsMissing) {
  EXPECT_TRUE(draw_figures(results_of({})).empty());
  std::vector<std::string> all(sweep_figures().begin(), sweep_figures().end());
  EXPECT_EQ(all.size(), 12u);
  const auto figures = draw_figures(results_of({}, all));
  ASSERT_EQ(figures.size(), 12u);
  for (const SweepFigure& figure : figures) {
    EXPECT_TRUE(figure.svg.empty());
    expect_words(figure.table, {"Not drawn: it needs "});
  }
  const std::string page = sweep_html(results_of({}, {"map"}), SweepCharts::still);
  testing::expect_sound_page(page);
  expect_words(page, {"There are no runs.", "Not drawn: it needs a map"});
  testing::expect_error<InvalidInput>([] { draw_figures(results_of({}, {"pie"})); },
                                      {"figures: 'pie' is not known; use budget, minority"});
}

TEST(SweepFigures, LeaveOutWhatFailed) {
  std::vector<SweepRow> rows = {run("m", 1, 0, 0.5), run("m", 1, 1, 0.1), run("m", 1, 0, 0)};
  rows[1].status = rows[2].status = "failed";
  rows[2].ratio = 10;
  const auto figure = only(results_of(rows, {"budget"}));
  expect_words(figure.svg, {"2 of 3 runs failed and are left out.", "every run failed", "One run a point."});
  EXPECT_EQ(count_of(figure.svg, "class=\"point\""), 1u);
  rows[0].status = "failed";
  expect_words(only(results_of(rows, {"budget"})).table, {"Not drawn"});
}

TEST(SweepFigures, SplitWhatCannotBeToldApart) {
  std::vector<SweepRow> rows = {run("reference", {}, 0, 0.5)};
  for (int i = 0; i < 14; ++i) rows.push_back(run("m" + std::to_string(i), 1, 0, 0.5));
  const auto figures = draw_figures(results_of(rows, {"budget"}));
  ASSERT_EQ(figures.size(), 2u);
  for (const SweepFigure& figure : figures) {
    EXPECT_EQ(count_of(figure.svg, "class=\"point\""), 7u);
    expect_words(figure.svg, {"reference (no privacy)", " of 2)"});
  }
}

TEST(SweepFigures, SettingsAreTakenAsAskedOrAsUsed) {
  for (const SweepFigure& figure : draw_figures(testing::sample_sweep())) {
    if (figure.name == "top-k") expect_words(figure.svg, {">K = 1<", ">K = 3<", ">K = 10<"});
    if (figure.name == "mechanisms")
      expect_words(figure.svg, {">exponential (Public)<", ">laplace<", ">permute-and-flip<"});
    if (figure.name == "top-k-best") expect_words(figure.table, {"K = 1 (", "K = 10 ("});
  }
}

// Runs with different pools, sizes or encoders are never averaged.
TEST(SweepFigures, KeepPlacesApart) {
  for (const SweepFigure& figure : draw_figures(testing::sample_sweep())) {
    EXPECT_EQ(figure.svg.find(", 10 runs)"), std::string::npos) << figure.name;
    EXPECT_EQ(figure.svg.find(", 6 runs)"), std::string::npos) << figure.name;
  }
}

TEST(SweepFigures, SettingsAndTracesOfAnyShapeAreTaken) {
  std::vector<SweepRow> rows;
  for (const char* text : {"", "{", "[]", "null", R"({"k":"many","mechanism":3,"estimator":[]})",
                           R"({"k":-1,"used":{"k":2}})", R"({"used":[]})"}) {
    for (const char* kind : {"public", "mean", "coinpress-mean", "naive-mean"}) {
      rows.push_back(run(kind, 1, 0, 0.5));
      rows.back().kind = kind;
      rows.back().settings = rows.back().trace = text;
      rows.push_back(rows.back());
      rows.back().trace = R"({"radius":[0,-1,"x",1e308,1e-308,null],"error":7})";
    }
  }
  for (const SweepFigure& figure : draw_figures(results_of(rows))) testing::expect_balanced(figure.svg + figure.table);
}

TEST(SweepFigures, MapsSayThatTheyShowPrivateData) {
  SweepResults results = results_of({}, {"map"});
  results.maps = {{"m",
                   0.1,
                   10,
                   {{MapPoint::Kind::true_mean, 3, 0, 0},
                    {MapPoint::Kind::private_mean, 3, 1, 1},
                    {MapPoint::Kind::test, 3, 0.5, 0.5, true},
                    {MapPoint::Kind::test, 3, 0.5, -0.5, false},
                    {MapPoint::Kind::test, 3, std::nan(""), 1, false}}}};
  const auto figure = only(results);
  expect_words(figure.svg, {"Shows private data: not for publication</text>", "Test points: 1 of 2 right",
                            "class=\"arrow\"", "class=\"cloud good\"", "class=\"cloud bad\""});
  expect_words(sweep_html(results), {"Shows private data: not for publication.</strong>"});
}

TEST(SweepPage, TellsWhatWasRun) {
  const std::string page = sweep_html(testing::sample_sweep(), SweepCharts::still);
  testing::expect_sound_page(page);
  expect_words(page, {"12 methods on pictures, embedded by vit-h-14 and resnet50, with the public pools photos and "
                      "drawings; imbalance ratios 1, 10, 50 and 100",
                      "7 budgets from ρ = 0.001 to 10; 5 seeds: 1650 runs, of which 1 failed.", "DP-SGD *",
                      "upper bound, tuned on test", "Failed runs", "Public: &#39;nothing&#39;", "How to repeat it",
                      "results.csv"});
}

TEST(SweepPage, BestIsOfThoseThatDidNotSeeTheTestSet) {
  std::vector<SweepRow> rows = {run("tuned", 1, 0, 0.9), run("good", 1, 0, 0.6), run("bad", 1, 0, 0.5)};
  rows[0].tuned_on_test = true;
  const std::string page = sweep_html(results_of(rows));
  EXPECT_EQ(count_of(page, "class=\"number best\""), 2u);  // balanced and minority
  EXPECT_EQ(count_of(page, "<td class=\"number best\">60.0</td>"), 2u);
}

}  // namespace
}  // namespace dppl
