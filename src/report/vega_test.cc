#include "report/vega.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/style.h"

namespace dppl {
namespace {

using Json = nlohmann::json;

Figure sample_figure() {
  Figure figure{"f", "", "Title", "Caption"};
  PlotSeries plain{"plain", {{0.1, 0.2, "plain at 0.1", std::pair(0.1, 0.3)}, {1, 0.5, "plain at 1"}}, {0}};
  PlotSeries tuned{"tuned", {{0.1, 0.4, "tuned at 0.1"}}, {1, true}};
  PlotSeries reference{"reference", {}, {2}, PlotPoint{0, 0.6, "reference"}};
  figure.notes = {"How to read it."};
  figure.legend = {plain, tuned, reference};
  figure.panels.push_back({"left", "x", Axis::logarithmic(0.1, 1), Axis::percent(0.1, 0.6), {plain, tuned, reference}});
  figure.panels.push_back({"right", "x", Axis::logarithmic(0.1, 1), Axis::percent(0.1, 0.6), {}});
  figure.panels.back().note = "every run failed";
  return figure;
}

// The layer with this mark.
Json layer(const Json& panel, const std::string& mark) {
  for (const Json& one : panel.at("layer")) {
    if (one.at("mark").at("type") == mark) return one;
  }
  return {};
}

TEST(VegaLite, HasEveryValueOfAFigure) {
  const Json spec = Json::parse(vega_lite(sample_figure()));
  ASSERT_EQ(spec.at("concat").size(), 2u);
  const Json& left = spec.at("concat")[0];
  EXPECT_EQ(left.at("title"), "left");
  EXPECT_EQ(layer(left, "line").at("data").at("values").size(), 3u);
  const Json point = layer(left, "point").at("data").at("values")[2];  // the first series comes last, on top
  EXPECT_EQ(point.at("series"), "plain");
  EXPECT_EQ(point.at("x"), 1);
  EXPECT_EQ(point.at("y"), 0.5);
  EXPECT_EQ(point.at("label"), "plain at 1");
  const Json band = layer(left, "area").at("data").at("values");
  ASSERT_EQ(band.size(), 1u);
  EXPECT_EQ(band[0].at("low"), 0.1);
  EXPECT_EQ(band[0].at("high"), 0.3);
  EXPECT_EQ(layer(left, "rule").at("data").at("values")[0].at("y"), 0.6);
  EXPECT_EQ(layer(spec.at("concat")[1], "text").at("mark").at("text"), "every run failed");
  EXPECT_EQ(spec.at("title").at("subtitle"), Json({"How to read it."}));
}

TEST(VegaLite, LooksAreThoseOfTheStillFigure) {
  const Json spec = Json::parse(vega_lite(sample_figure())), left = spec.at("concat")[0];
  const Json line = layer(left, "line").at("encoding"), point = layer(left, "point").at("encoding");
  EXPECT_EQ(line.at("color").at("scale").at("domain"), Json({"plain", "tuned", "reference"}));
  EXPECT_EQ(line.at("color").at("scale").at("range"), Json({"var(--s0)", "var(--s1)", "var(--s2)"}));
  EXPECT_EQ(line.at("strokeDash").at("scale").at("range"), Json({{1, 0}, {7, 5}, {2, 4}}));
  EXPECT_EQ(point.at("fill").at("scale").at("range"), Json({"var(--s0)", "var(--card)", "var(--s2)"}));
  EXPECT_EQ(point.at("shape").at("scale").at("range"), Json({"circle", "square", "stroke"}));
  EXPECT_EQ(line.at("x").at("scale").at("type"), "log");
  const std::string labels = line.at("y").at("axis").at("labelExpr");
  EXPECT_TRUE(labels.starts_with("[\"0%\",\"20%\"")) << labels;
}

// One to the right, one up: the picture's sides differ, so an angle between values is not one between pixels.
TEST(VegaLite, ArrowsPointWhereTheyGo) {
  Figure figure{"map", "", "Map", ""};
  figure.alarm = "Shows private data";
  figure.panels.push_back({"", "", Axis::bare(0, 1), Axis::bare(0, 1), {}, {{0, 0, 1, 0}, {0, 0, 0, 1}, {1, 1, 0, 1}}});
  figure.panels.back().series = {{"means", {{0, 0, "here"}, {1, 0, "there", {}, "7"}}}};
  figure.panels.back().clouds = {{{{0.5, 0.5}}, true}, {{{0.25, 0.5}}, false}};
  const Json spec = Json::parse(vega_lite(figure)), panel = spec.at("concat")[0];
  const Json arrows = layer(panel, "rule").at("data").at("values");
  ASSERT_EQ(arrows.size(), 3u);
  EXPECT_DOUBLE_EQ(arrows[0].at("angle"), 90);
  EXPECT_DOUBLE_EQ(arrows[1].at("angle"), 0);
  EXPECT_DOUBLE_EQ(arrows[2].at("angle"), -90);
  EXPECT_EQ(spec.at("title").at("text"), Json({"Map", "Shows private data"}));
  const Json tags = layer(panel, "text").at("data").at("values");
  ASSERT_EQ(tags.size(), 1u);  // a point without one would be called "undefined"
  EXPECT_EQ(tags[0].at("tag"), "7");
  EXPECT_EQ(panel.at("layer")[0].at("data").at("values"), Json::parse(R"([{"x":0.5,"y":0.5}])"));
}

TEST(VegaLite, NamesOfAnyBytesStayJson) {
  Figure figure = sample_figure();
  figure.title = "\xff\"</script>";
  EXPECT_EQ(Json::parse(vega_lite(figure)).at("title").at("text")[0], "\xef\xbf\xbd\"</script>");
}

TEST(Style, NamesBecomeTheLightColours) {
  EXPECT_EQ(in_light_colours("a var(--ink), var(--s1)"), "a #1c1f24, #d55e00");
  EXPECT_EQ(in_light_colours(kFigureStyle).find("var("), std::string::npos);
  // Names of methods are anything.
  for (const char* text : {"var(", "var(--", "var(--ink", "var(--nothing)", "var(x) var()"}) {
    EXPECT_EQ(in_light_colours(text), text);
  }
  EXPECT_EQ(in_light_colours("var(--var(--ink)"), "var(--#1c1f24");
}

}  // namespace
}  // namespace dppl
