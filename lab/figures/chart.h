#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/figures/rows.h"
#include "report/figure.h"

namespace dppl {

// How runs become a figure: which panel and which series a run is in, and what it has on the axes.
struct Chart {
  using Words = std::function<std::string(const SweepRow&)>;
  struct Sample {
    std::optional<double> x;  // none: y holds for every x
    double y;
  };

  std::string name, what, caption;      // figures are titled "what · place"
  std::vector<std::string> looks = {};  // colours and shapes by place in this list; empty: shades, for series that
                                        // come in an order
  Words panel = ratio_of, series = method_of;
  ChartAxis x = {Scale::logarithmic, "ρ (more private on the left)"}, y = {Scale::percent};
  std::function<std::vector<Sample>(const SweepRow&)> samples = [](const SweepRow& row) {
    return std::vector<Sample>{{row.rho, row.balanced}};
  };
  std::function<std::string(const std::optional<double>&)> at = budget_words;  // x for people
};

// Medians over runs, with the quartiles around them. More series than can be distinguished give several figures; none
// where no run has a place on the axis.
std::vector<Figure> figures_of(const Chart& chart, const SweepRows& rows, const std::string& place);

// Of `count` things in an order, the shade of the one at `place`.
size_t shade_of(size_t place, size_t count);

}  // namespace dppl
