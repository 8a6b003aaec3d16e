#include "report/plot.h"

#include <gtest/gtest.h>

#include "support/html_checks.h"

namespace dppl {
namespace {

using testing::count_of;

std::vector<std::string> labels_of(const Axis& axis) {
  std::vector<std::string> labels;
  for (const auto& tick : axis.ticks()) labels.push_back(tick.label);
  return labels;
}

TEST(LogarithmicAxis, PlacesByLogarithmWithRoomAtTheEnds) {
  const Axis axis = Axis::logarithmic(0.001, 10);
  EXPECT_NEAR(axis.position(0.1), 0.5, 1e-12);
  EXPECT_NEAR(axis.position(1) - axis.position(0.1), axis.position(0.1) - axis.position(0.01), 1e-12);
  EXPECT_GT(axis.position(0.001), 0);
  EXPECT_LT(axis.position(10), 1);
  EXPECT_EQ(labels_of(axis), (std::vector<std::string>{"0.001", "0.01", "0.1", "1", "10"}));
}

TEST(LogarithmicAxis, HasTicksWhateverTheRange) {
  for (const auto& [least, most] : {std::pair{0.02, 0.02}, {0.3, 0.31}, {1e-300, 1e300}, {1e-6, 2e-6}, {5e-5, 0.9}}) {
    const Axis axis = Axis::logarithmic(least, most);
    EXPECT_GE(axis.ticks().size(), 2u) << least;
    EXPECT_LE(axis.ticks().size(), 10u) << least;
    for (const auto& tick : axis.ticks()) {
      EXPECT_GE(axis.position(tick.value), 0) << tick.label;
      EXPECT_LE(axis.position(tick.value), 1) << tick.label;
      EXPECT_NEAR(std::stod(tick.label) / tick.value, 1, 1e-9);
    }
    EXPECT_GE(axis.position(least), 0);
    EXPECT_LE(axis.position(most), 1);
  }
}

TEST(PercentAxis, HoldsAllValuesInWholeSteps) {
  EXPECT_EQ(labels_of(Axis::percent(0, 1)), (std::vector<std::string>{"0%", "20%", "40%", "60%", "80%", "100%"}));
  EXPECT_EQ(labels_of(Axis::percent(0.71, 0.84)), (std::vector<std::string>{"70%", "75%", "80%", "85%"}));
  for (const auto& [least, most] :
       {std::pair{0.0, 0.0}, {1.0, 1.0}, {0.5, 0.5}, {0.39, 0.41}, {0.99, 1.0}, {0.4, 1.0}}) {
    const Axis axis = Axis::percent(least, most);
    EXPECT_GE(axis.ticks().size(), 3u) << least;
    EXPECT_GE(axis.position(least), 0) << least;
    EXPECT_LE(axis.position(most), 1) << most;
  }
}

TEST(CountingAxis, NamesWholeNumbers) {
  EXPECT_EQ(labels_of(Axis::counting(1, 5)), (std::vector<std::string>{"1", "2", "3", "4", "5"}));
  EXPECT_EQ(labels_of(Axis::counting(1, 100)), (std::vector<std::string>{"20", "40", "60", "80", "100"}));
  EXPECT_EQ(labels_of(Axis::counting(3, 3)), (std::vector<std::string>{"3"}));
}

std::string drawn(const std::vector<PlotSeries>& series) {
  HtmlWriter out;
  draw_plot(out, {"p", "Accuracy", "what is in it", "ρ", series});
  return out.html();
}

TEST(Plot, DrawsEveryPointAtItsPlace) {
  const std::string svg = drawn({{"one", {{0.1, 0.5, "<half>"}, {0.001, 1, "all"}}}, {"two", {{0.1, 0, "none"}}, {1}}});
  testing::expect_balanced(svg);
  EXPECT_EQ(count_of(svg, "class=\"point\""), 3u);
  EXPECT_EQ(count_of(svg, "<polyline"), 1u);  // a line needs two points
  EXPECT_EQ(count_of(svg, "<circle"), 2u);
  EXPECT_NE(svg.find("<title>&lt;half&gt;</title>"), std::string::npos);
  EXPECT_NE(svg.find("aria-labelledby=\"p-title p-description\""), std::string::npos);
  EXPECT_NE(svg.find("<desc id=\"p-description\">what is in it</desc>"), std::string::npos);
  // Higher is better, and the line runs from left to right though the points came from right to left.
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  const size_t line = svg.find("points=\"") + 8;
  ASSERT_EQ(std::sscanf(svg.c_str() + line, "%lf,%lf %lf,%lf", &x1, &y1, &x2, &y2), 4);
  EXPECT_LT(x1, x2);
  EXPECT_LT(y1, y2);
}

TEST(Plot, NeighbouringSeriesDifferInShapeAndColour) {
  std::vector<PlotSeries> series;
  for (int i = 0; i < 30; ++i) series.push_back({std::to_string(i), {{1, 0.5, "x"}}, {static_cast<size_t>(i)}});
  const std::string svg = drawn(series);
  EXPECT_EQ(count_of(svg, "class=\"point\""), 30u);
  for (const char* shape : {"<circle", "<polygon", "<rect"}) EXPECT_GT(count_of(svg, shape), 0u) << shape;
  HtmlWriter legend;
  draw_legend(legend, series);
  testing::expect_balanced(legend.html());
  EXPECT_EQ(count_of(legend.html(), "<li>"), 30u);
}

TEST(Plot, NothingToDrawIsAnEmptyPlot) {
  const std::string svg = drawn({});
  testing::expect_balanced(svg);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(count_of(svg, "class=\"point\""), 0u);
}

}  // namespace
}  // namespace dppl
