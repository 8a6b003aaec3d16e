#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figure.h"
#include "report/page.h"
#include "report/sections.h"

namespace dppl {
namespace {

// ρ as a place on the axis; 0 where there is none.
double place(const Model& model) {
  const double rho = model.guarantee.rho ? model.guarantee.rho->get_d() : 0;
  return std::isfinite(rho) ? rho : 0;
}

size_t series_number(Figure& figure, const std::string& name) {
  const auto found = std::find_if(figure.series.begin(), figure.series.end(),
                                  [&](const Series& series) { return series.name == name; });
  const auto number = static_cast<size_t>(found - figure.series.begin());
  if (found == figure.series.end()) figure.series.push_back({name, number});
  return number;
}

// One panel per measure, one line per method.
Figure figure_of(const Report& report) {
  Figure figure{"accuracy-privacy", "", "Accuracy against privacy",
                "Accuracy on the test data against ρ, which measures privacy loss in zero-concentrated differential "
                "privacy. Pure guarantees stand at the ρ that they imply: ε²/8 for the exponential mechanism, ε²/2 for "
                "others."};
  figure.x.title = "ρ (more private on the left)";
  figure.panels = {{"Accuracy"}, {"Balanced accuracy"}, {"Minority accuracy"}};
  for (const ReportedModel& one : report.models) {
    const double x = place(one.model);
    if (!one.evaluation || x <= 0) continue;
    const std::string at = "ρ = " + to_decimal(*one.model.guarantee.rho, 4, Rounding::up);
    const size_t series = series_number(figure, series_of(one));
    const Evaluation& result = *one.evaluation;
    const std::optional<double> measures[] = {result.accuracy, result.balanced_accuracy, result.minority_accuracy};
    for (size_t i = 0; i < figure.panels.size(); ++i) {
      if (!measures[i]) continue;
      figure.panels[i].points.push_back(
          {series, x, *measures[i], at, fmt::format("{} ({})", percent(measures[i]), one.name)});
    }
  }
  if (figure.panels.back().points.empty()) figure.panels.pop_back();
  return figure;
}

}  // namespace

void write_plots(HtmlWriter& out, const Report& report) {
  const Figure figure = figure_of(report);
  if (figure.panels.front().points.size() < 2) return;
  section(out, "plots", figure.title, [&] { write_figure(out, figure); });
}

}  // namespace dppl
