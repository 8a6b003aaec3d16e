#include "report/vega.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/style.h"
#include "support/html_checks.h"

namespace dppl {
namespace {

using Json = nlohmann::json;

Figure sample_figure() {
  Figure figure{"f", "", "Title", "Caption"};
  figure.x.title = "budget";
  figure.notes = {"How to read it."};
  figure.series = {{"plain", 0}, {"tuned", 1}, {"reference", 2, Mark::level}};
  figure.series[1].hollow = true;
  figure.panels = {{"left",
                    {{0, 1, 0.5, "ρ = 1", "50%"},
                     {0, 0.1, 0.2, "ρ = 0.1", "20% (10% to 30%)", std::pair(0.1, 0.3)},
                     {1, 0.1, 0.4, "ρ = 0.1", "40%"},
                     {2, {}, 0.6, "no privacy", "60%"}}},
                   {"right"}};
  figure.panels.back().note = "every run failed";
  return figure;
}

Json spec_of(const Figure& figure) { return Json::parse(vega_lite(figure)); }

// What the layer with this mark draws: its own part of the panel's values.
Json layer(const Json& panel, const std::string& mark) {
  for (const Json& one : panel.at("layer")) {
    if (one.at("mark").at("type") == mark) return one;
  }
  return {};
}
std::vector<Json> drawn_by(const Json& panel, const std::string& mark) {
  std::vector<Json> values;
  const std::string filter = layer(panel, mark).at("transform")[0].at("filter");
  for (const Json& value : panel.at("data").at("values")) {
    const size_t quote = filter.find('\'') + 1;
    const std::string name = filter.substr(quote, filter.find('\'', quote) - quote);
    if (value.at("in").get<std::string>().find(name) != std::string::npos) values.push_back(value);
  }
  return values;
}

TEST(VegaLite, HasEveryPointWithItsError) {
  const Json spec = spec_of(sample_figure());
  ASSERT_EQ(spec.at("concat").size(), 2u);
  const Json& left = spec.at("concat")[0];
  EXPECT_EQ(left.at("title").at("text"), "left");
  EXPECT_EQ(left.at("data").at("values").size(), 4u);
  EXPECT_EQ(drawn_by(left, "line").size(), 3u);
  const auto points = drawn_by(left, "point");
  ASSERT_EQ(points.size(), 3u);
  const Json& point = points[1];  // the first series comes last, on top
  EXPECT_EQ(point.at("series"), "plain");
  EXPECT_EQ(point.at("x"), 1);
  EXPECT_EQ(point.at("y"), 0.5);
  EXPECT_EQ(point.at("label"), "plain, ρ = 1: 50%");
  const auto bands = drawn_by(left, "area");
  ASSERT_EQ(bands.size(), 1u);
  EXPECT_EQ(bands[0].at("low"), 0.1);
  EXPECT_EQ(bands[0].at("high"), 0.3);
  const auto levels = drawn_by(left, "rule");
  ASSERT_EQ(levels.size(), 1u);
  EXPECT_EQ(levels[0].at("y"), 0.6);
  EXPECT_EQ(drawn_by(spec.at("concat")[1], "text")[0].at("note"), "every run failed");
  EXPECT_EQ(spec.at("title").at("text"), Json({"Title"}));
  EXPECT_EQ(spec.at("title").at("subtitle"), Json({"How to read it."}));
}

TEST(VegaLite, SeriesDifferInColourShapeAndLine) {
  const Json left = spec_of(sample_figure()).at("concat")[0];
  const Json line = layer(left, "line").at("encoding"), point = layer(left, "point").at("encoding");
  EXPECT_EQ(line.at("color").at("scale").at("domain"), Json({"plain", "tuned", "reference"}));
  EXPECT_EQ(line.at("color").at("scale").at("range"), Json({"var(--s0)", "var(--s1)", "var(--s2)"}));
  EXPECT_EQ(line.at("strokeDash").at("scale").at("range"), Json({{1, 0}, {7, 5}, {2, 4}}));
  EXPECT_EQ(point.at("fill").at("scale").at("range"), Json({"var(--s0)", "var(--card)", "var(--s2)"}));
  EXPECT_EQ(point.at("shape").at("scale").at("range"), Json({"circle", "square", "stroke"}));
  Figure shaded = sample_figure();
  shaded.series[1].shade = 7;
  EXPECT_EQ(layer(spec_of(shaded).at("concat")[0], "line").at("encoding").at("color").at("scale").at("range")[1],
            "var(--h7)");
}

TEST(VegaLite, ScalesAreAsAsked) {
  Figure figure = sample_figure();
  const auto encoding = [&](const char* channel) {
    return layer(spec_of(figure).at("concat")[0], "line").at("encoding").at(channel);
  };
  EXPECT_EQ(encoding("x").at("scale").at("type"), "log");
  EXPECT_EQ(encoding("x").at("axis").at("title"), "budget");
  EXPECT_EQ(encoding("y").at("scale").at("domain"), Json({0, 0.6}));
  EXPECT_EQ(encoding("y").at("axis").at("format"), ".0%");
  figure.x = {Scale::counting, "step"};
  figure.y = {Scale::logarithmic};
  EXPECT_FALSE(encoding("x").at("scale").contains("type"));
  EXPECT_EQ(encoding("x").at("axis").at("tickMinStep"), 1);
  EXPECT_EQ(encoding("y").at("scale").at("type"), "log");
  figure.x = figure.y = {Scale::bare};
  EXPECT_TRUE(encoding("x").at("axis").is_null());
}

// Whole steps of ten percent, at least two, that hold all values; from 0 unless all are far from it.
TEST(VegaLite, FractionsFillTheirAxis) {
  const auto domain = [](double least, double most) {
    Figure figure = sample_figure();
    figure.panels = {{"", {{0, 1, least, "", ""}, {0, 2, most, "", ""}}}};
    const Json both = layer(spec_of(figure).at("concat")[0], "line").at("encoding").at("y").at("scale").at("domain");
    EXPECT_LE(both[0], least);
    EXPECT_GE(both[1], most);
    EXPECT_LE(both[1], 1);
    return both;
  };
  EXPECT_EQ(domain(0, 1), Json({0, 1}));
  EXPECT_EQ(domain(0, 0), Json({0, 0.2}));
  EXPECT_EQ(domain(1, 1), Json({0.8, 1}));
  EXPECT_EQ(domain(0.39, 0.41), Json({0, 0.5}));
  EXPECT_EQ(domain(0.71, 0.84), Json({0.7, 0.9}));
}

TEST(VegaLite, DrawsSegmentsTagsAndSpecks) {
  Figure figure{"map", "", "Map", ""};
  figure.alarm = "Shows private data";
  figure.x = figure.y = {Scale::bare};
  figure.series = {{"means", 0, Mark::points}, {"test", 1, Mark::specks}};
  figure.panels = {{"", {{0, 0, 0, "a", "here"}, {0, 1, 0, "b", "there"}, {1, 0.5, 0.25, "", ""}}, {{0, 0, 1, 0}}}};
  figure.panels[0].points[1].tag = "7";
  const Json spec = spec_of(figure), panel = spec.at("concat")[0];
  const auto segments = drawn_by(panel, "rule"), tags = drawn_by(panel, "text"), specks = drawn_by(panel, "point");
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_EQ(segments[0].at("to_x"), 1);
  ASSERT_EQ(tags.size(), 1u);  // a point without one would be called "undefined"
  EXPECT_EQ(tags[0].at("tag"), "7");
  ASSERT_EQ(specks.size(), 1u);
  EXPECT_EQ(specks[0].at("y"), 0.25);
  EXPECT_EQ(spec.at("title").at("text"), Json({"Map", "Shows private data"}));
}

TEST(VegaLite, NamesOfAnyBytesStayJson) {
  Figure figure = sample_figure();
  figure.title = "\xff\"</script>";
  figure.series[0].name = "$x";  // nor do they fill in anything
  const Json spec = spec_of(figure);
  EXPECT_EQ(spec.at("title").at("text")[0], "\xef\xbf\xbd\"</script>");
  EXPECT_EQ(drawn_by(spec.at("concat")[0], "line").back().at("series"), "$x");
}

TEST(Figure, TellsItsNumbersInATable) {
  const Table numbers = numbers_of(sample_figure());
  EXPECT_EQ(numbers.headings, (std::vector<std::string>{"panel", "budget", "plain", "tuned", "reference"}));
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : numbers.rows) {
    rows.emplace_back();
    for (const Cell& cell : row) rows.back().push_back(cell.text);
  }
  EXPECT_EQ(rows, (std::vector<std::vector<std::string>>{{"left", "ρ = 0.1", "20% (10% to 30%)", "40%", "–"},
                                                         {"left", "ρ = 1", "50%", "–", "–"},
                                                         {"left", "no privacy", "–", "–", "60%"},
                                                         {"right", "every run failed"}}));
}

// Where no script runs, the table is open; a script finds the specification beside it.
TEST(Figure, StandsOnAPageAsTableAndSpecification) {
  Figure figure = sample_figure();
  figure.series[0].name = "<b>\"'&</script>";
  HtmlWriter out;
  write_figure(out, figure);
  const std::string& html = out.html();
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  testing::expect_words(html, {"<details class=\"numbers\" open=\"\">", "&lt;b&gt;", "20% (10% to 30%)",
                               "How to read it.", "<figcaption>Caption"});
  EXPECT_EQ(testing::count_of(html, "</script>"), vega_library().empty() ? 0u : 1u);
  EXPECT_EQ(out.has_json(), !vega_library().empty());
}

TEST(Style, NamesBecomeTheLightColours) {
  EXPECT_EQ(in_light_colours("a var(--ink), var(--s1)"), "a #1c1f24, #d55e00");
  EXPECT_EQ(in_light_colours(vega_lite(sample_figure())).find("var("), std::string::npos);
  // Names of methods are anything.
  for (const char* text : {"var(", "var(--", "var(--ink", "var(--nothing)", "var(x) var()"}) {
    EXPECT_EQ(in_light_colours(text), text);
  }
  EXPECT_EQ(in_light_colours("var(--var(--ink)"), "var(--#1c1f24");
}

}  // namespace
}  // namespace dppl
