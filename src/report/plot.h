#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/axis.h"
#include "report/html.h"

// Plots as SVG, written by hand: they must be there where no script runs (in the report that a fit is published with,
// in files for a paper), and no library in Debian writes small SVG whose style follows the page. Colours come from the
// style sheet, so they follow the light or dark scheme. Where scripts may run, report/vega.h draws.
namespace dppl {

struct PlotPoint {
  double x = 0;
  double y = 0;
  std::string label;                                   // shown on hovering
  std::optional<std::pair<double, double>> band = {};  // from, to: how far y varies
  std::string tag = {};                                // shown beside the point
};

// How a series looks: its number gives colour and shape of the markers.
struct PlotLook {
  size_t number = 0;
  bool dashed = false;
  std::optional<size_t> shade = {};  // of kShades, for series that have an order; instead of the colour
};
inline constexpr size_t kShades = 8, kSeriesColours = 9;
inline constexpr size_t kMostMarkers = 40;  // a longer line goes without

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;  // in any order
  PlotLook look = {};
  std::optional<PlotPoint> level = {};  // a value that holds for every x
  bool joined = true;                   // by a line
};

struct PlotArrow {
  double from_x, from_y, to_x, to_y;
};

// Points without names, many of them.
struct PlotCloud {
  std::vector<std::pair<double, double>> points;
  bool good = true;  // otherwise crosses
};

struct Panel {
  std::string title, x_label;
  Axis x, y;
  std::vector<PlotSeries> series;
  std::vector<PlotArrow> arrows = {};
  std::vector<PlotCloud> clouds = {};
  std::string note = {};  // across the middle
};

struct PlotBox {
  double left, top, width, height;
};
void draw_panel(HtmlWriter& out, const Panel& panel, const PlotBox& box);

// A fraction, told in percent, against a positive number on a logarithmic axis.
struct Plot {
  std::string id;  // unique on the page
  std::string title, description, x_label;
  std::vector<PlotSeries> series;
};
void draw_plot(HtmlWriter& out, const Plot& plot);

// A piece of line with its marker in the middle, as legends have it: 28 wide, around y.
void draw_key(HtmlWriter& out, const PlotSeries& series, double left, double y);
// The name of every series beside its key, as HTML.
void draw_legend(HtmlWriter& out, const std::vector<PlotSeries>& series);

void draw_text(HtmlWriter& out, double x, double y, std::string anchor, std::string_view text, std::string style = "");
// About how wide a text of this size is; browsers choose the font.
double text_width(std::string_view text, double size);
// Its beginning and "…" where it is wider.
std::string shortened(std::string_view text, double size, double width);
// In lines of this width.
std::vector<std::string> wrapped(std::string_view text, double size, double width);

}  // namespace dppl
