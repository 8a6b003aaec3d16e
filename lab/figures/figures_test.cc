#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "dppl/error.h"
#include "lab/figures/drawings.h"
#include "report/vega.h"
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

Figure only(const SweepResults& results) {
  const auto figures = sweep_drawings(results);
  EXPECT_EQ(figures.size(), 1u);
  return figures.front();
}

std::string page_of(const SweepResults& results) { return sweep_html(results, sweep_drawings(results)); }

std::vector<std::string> series_names(const Figure& figure) {
  std::vector<std::string> names;
  for (const Series& series : figure.series) names.push_back(series.name);
  return names;
}

TEST(SweepFigures, AllKindsAreNamedApartAndHaveNumbers) {
  std::set<std::string> names;
  for (const Figure& figure : sweep_drawings(testing::sample_sweep())) {
    EXPECT_TRUE(names.insert(figure.name).second) << figure.name;
    EXPECT_EQ(figure.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos) << figure.name;
    EXPECT_FALSE(figure.caption.empty());
    EXPECT_NE(figure.panels.empty(), figure.table.rows.empty()) << figure.name;
    if (figure.panels.empty()) continue;
    const std::string spec = vega_lite(figure);
    EXPECT_TRUE(nlohmann::json::accept(spec)) << figure.name;
    EXPECT_EQ(spec.find("null,\"y\""), std::string::npos) << figure.name;  // what is not a number
    EXPECT_FALSE(numbers_of(figure).rows.empty()) << figure.name;
    for (const Panel& panel : figure.panels) {
      EXPECT_FALSE(panel.points.empty()) << figure.name;
      for (const ChartPoint& point : panel.points) ASSERT_LT(point.series, figure.series.size());
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

TEST(SweepFigures, HaveTheMedianAndItsBand) {
  const auto figure = only(results_of({run("m", 1, 0, 0.2), run("m", 1, 1, 0.9), run("m", 1, 2, 0.5),
                                       run("m", 10, 0, 0.8), run("m", 10, 1, 0.6), run("m", 10, 2, 0.7)},
                                      {"budget"}));
  EXPECT_EQ(figure.name, "budget");
  ASSERT_EQ(figure.panels.size(), 1u);
  const auto& points = figure.panels[0].points;
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].x, 1);
  EXPECT_DOUBLE_EQ(points[0].y, 0.5);
  EXPECT_DOUBLE_EQ(points[0].band->first, 0.35);  // quartiles of 20, 50 and 90
  EXPECT_DOUBLE_EQ(points[0].band->second, 0.7);
  EXPECT_EQ(points[0].at, "ρ = 1");
  EXPECT_EQ(points[0].words, "50.00% (35.00% to 70.00%, 3 runs)");
  EXPECT_EQ(points[1].x, 10);
  EXPECT_DOUBLE_EQ(points[1].y, 0.7);
  EXPECT_DOUBLE_EQ(points[1].band->second, 0.75);
  expect_words(figure.notes.front(), {"median over 3 runs", "25% to 75%"});
  EXPECT_FALSE(figure.series[0].hollow);
}

TEST(SweepFigures, MarkWhatWasTunedOnTestAndWhatIsNotPrivate) {
  std::vector<SweepRow> rows = {run("tuned", 1, 0, 0.5), run("plain", 1, 0, 0.4), run("reference", {}, 0, 0.6)};
  rows[0].tuned_on_test = true;
  const auto figure = only(results_of(rows, {"minority"}));
  EXPECT_EQ(series_names(figure),
            (std::vector<std::string>{"tuned (upper bound, tuned on test)", "plain", "reference (no privacy)"}));
  EXPECT_TRUE(figure.series[0].hollow);
  EXPECT_FALSE(figure.series[1].hollow);
  EXPECT_EQ(figure.series[2].mark, Mark::level);
  EXPECT_EQ(figure.notes.back(), "Dotted: without privacy.");
  const ChartPoint& reference = figure.panels[0].points.back();
  EXPECT_FALSE(reference.x);
  EXPECT_DOUBLE_EQ(reference.y, 0.6);
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
  const std::string page = page_of(results);
  testing::expect_sound_page(page);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
}

TEST(SweepFigures, SayWhatIsMissing) {
  EXPECT_TRUE(sweep_drawings(results_of({})).empty());
  std::vector<std::string> all(sweep_figures().begin(), sweep_figures().end());
  EXPECT_EQ(all.size(), 12u);
  const auto figures = sweep_drawings(results_of({}, all));
  ASSERT_EQ(figures.size(), 12u);
  for (const Figure& figure : figures) {
    EXPECT_TRUE(figure.panels.empty());
    expect_words(figure.caption, {"Not drawn: it needs "});
  }
  const std::string page = page_of(results_of({}, {"map"}));
  testing::expect_sound_page(page);
  expect_words(page, {"There are no runs.", "Not drawn: it needs a map", "runs no script"});
  testing::expect_error<InvalidInput>([] { sweep_drawings(results_of({}, {"pie"})); },
                                      {"figures: 'pie' is not known; use budget, minority"});
}

TEST(SweepFigures, LeaveOutWhatFailed) {
  std::vector<SweepRow> rows = {run("m", 1, 0, 0.5), run("m", 1, 1, 0.1), run("m", 1, 0, 0)};
  rows[1].status = rows[2].status = "failed";
  rows[2].ratio = 10;
  const auto figure = only(results_of(rows, {"budget"}));
  EXPECT_EQ(figure.notes, (std::vector<std::string>{"One run a point.", "2 of 3 runs failed and are left out."}));
  ASSERT_EQ(figure.panels.size(), 2u);
  EXPECT_EQ(figure.panels[0].points.size(), 1u);
  EXPECT_EQ(figure.panels[1].note, "every run failed");
  rows[0].status = "failed";
  expect_words(only(results_of(rows, {"budget"})).caption, {"Not drawn"});
}

TEST(SweepFigures, SplitWhatCannotBeToldApart) {
  std::vector<SweepRow> rows = {run("reference", {}, 0, 0.5)};
  for (int i = 0; i < 14; ++i) rows.push_back(run("m" + std::to_string(i), 1, 0, 0.5));
  const auto figures = sweep_drawings(results_of(rows, {"budget"}));
  ASSERT_EQ(figures.size(), 2u);
  for (const Figure& figure : figures) {
    EXPECT_EQ(figure.panels[0].points.size(), 8u);
    EXPECT_EQ(figure.series[0].name, "reference (no privacy)");
    expect_words(figure.title, {" of 2)"});
  }
}

TEST(SweepFigures, SettingsAreTakenAsAskedOrAsUsed) {
  for (const Figure& figure : sweep_drawings(testing::sample_sweep())) {
    if (figure.name == "top-k") {
      EXPECT_EQ(series_names(figure), (std::vector<std::string>{"K = 1", "K = 3", "K = 10"}));
    } else if (figure.name == "mechanisms") {
      EXPECT_EQ(series_names(figure),
                (std::vector<std::string>{"exponential (Public)", "laplace", "permute-and-flip"}));
    } else if (figure.name == "top-k-best") {
      expect_words(figure.table.rows[0][1].text, {"K = 1 ("});
      expect_words(figure.table.rows[0].back().text, {"K = 10 ("});
    }
  }
}

// Runs with different pools, sizes or encoders are never averaged.
TEST(SweepFigures, KeepPlacesApart) {
  for (const Figure& figure : sweep_drawings(testing::sample_sweep())) {
    for (const Panel& panel : figure.panels) {
      for (const ChartPoint& point : panel.points) {
        EXPECT_EQ(point.words.find("10 runs)"), std::string::npos) << figure.name;
        EXPECT_EQ(point.words.find("6 runs)"), std::string::npos) << figure.name;
      }
    }
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
  const std::vector<Figure> figures = sweep_drawings(results_of(rows));
  for (const Figure& figure : figures) {
    if (figure.name != "coinpress-radius") continue;
    ASSERT_FALSE(figure.panels.empty());
    for (const ChartPoint& point : figure.panels[0].points) EXPECT_GT(point.y, 0);  // the axis is logarithmic
  }
  testing::expect_sound_page(sweep_html(results_of(rows), figures));
}

TEST(SweepFigures, DataAsTheyComeHaveTheirOwnPanel) {
  std::vector<SweepRow> rows = {run("m", 1, 0, 0.5), run("m", 1, 0, 0.4), run("m", 1, 0, 0.3)};
  rows[1].ratio = 10;
  rows[2].ratio = std::nullopt;
  const Figure budget = only(results_of(rows, {"budget"}));
  std::vector<std::string> titles;
  for (const Panel& panel : budget.panels) titles.push_back(panel.title);
  EXPECT_EQ(titles, (std::vector<std::string>{"As it comes", "Imbalance ratio 1", "Imbalance ratio 10"}));
  EXPECT_EQ(only(results_of(rows, {"runtime"})).table.headings.at(1), "As it comes");

  rows[2].data = "skin";
  SweepResults results = results_of(rows);
  results.class_sizes[std::nullopt] = {90, 10};
  results.maps = {{"m", 0.1, std::nullopt, {{MapPoint::Kind::test, 0, 0.5, 0.5, true}}}};
  results.figures = {"class-sizes", "map"};
  const auto figures = sweep_drawings(results);
  ASSERT_EQ(figures.size(), 3u);
  EXPECT_EQ(series_names(figures[0]), std::vector<std::string>{"as it comes"});
  EXPECT_EQ(figures[1].table.rows.at(0).at(0).text, "as it comes");
  EXPECT_EQ(figures[2].place, "m, ρ = 0.1, as it comes");

  const std::string page = page_of(results);
  testing::expect_sound_page(page);
  expect_words(page, {"imbalance ratios 1 and 10 (the largest class to the smallest); skin as it comes; budget",
                      "skin, vit, as it comes", "digits, vit, imbalance ratio 10"});
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
  EXPECT_EQ(figure.alarm, "Shows private data: not for publication");
  ASSERT_EQ(figure.panels.size(), 2u);
  ASSERT_EQ(figure.panels[0].segments.size(), 1u);
  EXPECT_EQ(figure.panels[0].segments[0].to_x, 1);
  EXPECT_EQ(figure.panels[1].title, "Test points: 1 of 2 right");
  EXPECT_EQ(figure.panels[1].points.size(), 3u);  // and the private mean
  const Table numbers = numbers_of(figure);       // of means, not of every record
  EXPECT_EQ(numbers.headings, (std::vector<std::string>{"panel", "", "true mean", "private mean"}));
  EXPECT_EQ(numbers.rows.size(), 2u);
  expect_words(page_of(results), {"Shows private data: not for publication.</strong>"});
}

TEST(SweepPage, TellsWhatWasRun) {
  const std::string page = page_of(testing::sample_sweep());
  testing::expect_sound_page(page);
  expect_words(page, {"12 methods on pictures, embedded by vit-h-14 and resnet50, with the public pools photos and "
                      "drawings; imbalance ratios 1, 10, 50 and 100",
                      "7 budgets from ρ = 0.001 to 10; 5 seeds: 1650 runs, of which 1 failed.", "DP-SGD *",
                      "upper bound, tuned on test", "Failed runs", "Public: &#39;nothing&#39;", "How to repeat it",
                      "results.csv"});
}

TEST(SweepPage, LeavesOutAnEncoderThatHasNoName) {
  SweepRow row = run("m", 1, 0, 0.5);
  row.encoder = "";
  const SweepResults results = results_of({row}, {"budget"});
  EXPECT_EQ(only(results).place, "digits");
  expect_words(page_of(results), {"1 method on digits, with no public pool", "digits, imbalance ratio 1"});
}

TEST(SweepPage, BestIsOfThoseThatDidNotSeeTheTestSet) {
  std::vector<SweepRow> rows = {run("tuned", 1, 0, 0.9), run("good", 1, 0, 0.6), run("bad", 1, 0, 0.5)};
  rows[0].tuned_on_test = true;
  const std::string page = page_of(results_of(rows));
  EXPECT_EQ(count_of(page, "class=\"number best\""), 2u);  // balanced and minority
  EXPECT_EQ(count_of(page, "<td class=\"number best\">60.0</td>"), 2u);
}

}  // namespace
}  // namespace dppl
