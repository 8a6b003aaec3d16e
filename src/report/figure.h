#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/html.h"
#include "report/table.h"

// What a figure shows, as data: charts are drawn from this and nothing else (report/vega.h).
namespace dppl {

enum class Scale { logarithmic, percent, counting, bare };  // percent: of fractions; bare: without ticks

struct ChartAxis {
  Scale scale;
  std::string title = {};
};

enum class Mark {
  line,    // with a marker at every point
  curve,   // without, for many points
  points,  // markers alone
  specks,  // small ones, for very many points: too many for a table
  level    // every point holds for all x
};

struct Series {
  std::string name;
  size_t look = 0;  // gives colour and shape of the markers
  Mark mark = Mark::line;
  std::optional<size_t> shade = {};  // of kShades, for series that have an order; instead of the colour
  bool hollow = false;               // hollow markers on a dashed line
};
inline constexpr size_t kShades = 8, kSeriesColours = 9;

struct ChartPoint {
  size_t series;            // of Figure::series
  std::optional<double> x;  // none: y holds for every x
  double y;
  std::string at, words;                               // x and y for people: "ρ = 0.1", "52.10%"
  std::optional<std::pair<double, double>> band = {};  // from, to: how far y varies
  std::string tag = {};                                // shown beside the point
};

struct Segment {
  double from_x, from_y, to_x, to_y;
};

struct Panel {
  std::string title;
  std::vector<ChartPoint> points = {};  // in any order
  std::vector<Segment> segments = {};
  std::string note = {};  // across the middle
};

// Panels that share axes and a legend, under a title; or a table.
struct Figure {
  std::string name;   // letters, digits and hyphens
  std::string place;  // what tells it from others of this name
  std::string title, caption;
  std::vector<std::string> notes = {};  // how to read it
  std::string alarm = {};               // what must not be overlooked
  ChartAxis x = {Scale::logarithmic}, y = {Scale::percent};
  std::vector<Series> series = {};
  std::vector<Panel> panels = {};  // none: the table
  Table table = {};
};

// The points of a chart in words, a row for each place on the x axis.
Table numbers_of(const Figure& figure);

// The chart's numbers as a table, which a script puts away when it has drawn the chart; for a page with the style
// sheet.
void write_figure(HtmlWriter& out, const Figure& figure);

}  // namespace dppl
