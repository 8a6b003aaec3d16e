#pragma once

#include <string>
#include <vector>

#include "report/html.h"

namespace dppl {

struct PlotPoint {
  double x = 0;  // above 0
  double y = 0;  // between 0 and 1
  std::string label;
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;  // in any order
};

// A fraction, told in percent, against a positive number on a logarithmic axis. Inline SVG: colours come from the page,
// so they follow its light or dark scheme; series differ in the shape of their markers too.
struct Plot {
  std::string id;  // unique on the page
  std::string title, description, x_label;
  std::vector<PlotSeries> series;
};
void draw_plot(HtmlWriter& out, const Plot& plot);

// The name of every series beside its marker.
void draw_legend(HtmlWriter& out, const std::vector<PlotSeries>& series);

}  // namespace dppl
