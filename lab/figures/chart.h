#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/sweep/result_tables.h"
#include "report/figure.h"

namespace dppl {

// From runs to a figure: which panel and which series a run is in, and where on the axes.
struct Chart {
  using Words = std::function<std::string(const SweepRow&)>;

  std::string name, place, title, caption;  // as in Figure
  SweepRows rows;
  Measure measure = kBalanced;
  Words panel, series;
  std::string x_label = "ρ (more private on the left)";
  // Empty: the value holds for every x.
  std::function<std::optional<double>(const SweepRow&)> x = [](const SweepRow& row) { return row.rho; };
  // Colours and shapes by place in this list; empty: shades, for series that come in an order.
  std::vector<std::string> looks = {};
};

// Medians over seeds, with the quartiles around them. More series than can be told apart give several figures; none
// where no run has a place on the axis.
std::vector<Figure> figures_of(const Chart& chart);

// Lists of positive numbers, one of each run, step by step, on logarithmic axes.
struct StepChart {
  std::string name, place, title, caption;
  SweepRows rows;
  Chart::Words panel, series;  // series have an order
  std::function<std::vector<double>(const SweepRow&)> values;
};
std::vector<Figure> figures_of(const StepChart& chart);

// Of `count` things in an order, the look of the one at `place`.
PlotLook shade_of(size_t place, size_t count);

}  // namespace dppl
