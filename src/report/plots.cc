#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "report/pieces.h"
#include "report/plot.h"
#include "report/sections.h"

namespace dppl {
namespace {

struct Metric {
  const char* id;
  const char* title;
  std::function<std::optional<double>(const Evaluation&)> value;
};

const std::vector<Metric>& metrics() {
  static const std::vector<Metric> all = {
      {"plot-accuracy", "Accuracy", [](const Evaluation& e) { return std::optional(e.accuracy); }},
      {"plot-balanced", "Balanced accuracy", [](const Evaluation& e) { return std::optional(e.balanced_accuracy); }},
      {"plot-minority", "Minority accuracy", [](const Evaluation& e) { return e.minority_accuracy; }}};
  return all;
}

// ρ as a place on the axis; 0 where there is none.
double place(const Model& model) {
  const double rho = model.guarantee.rho ? model.guarantee.rho->get_d() : 0;
  return std::isfinite(rho) ? rho : 0;
}

// Every series of the report in order of appearance, so that all plots share colours; points where the metric has them.
std::vector<PlotSeries> series(const Report& report, const Metric& metric) {
  std::vector<PlotSeries> result;
  for (const ReportedModel& one : report.models) {
    if (!one.evaluation || place(one.model) <= 0) continue;
    const std::string name = series_of(one);
    auto found = std::find_if(result.begin(), result.end(), [&](const PlotSeries& s) { return s.name == name; });
    if (found == result.end()) found = result.insert(result.end(), {name, {}, {result.size()}});
    const std::optional<double> value = metric.value(*one.evaluation);
    if (!value) continue;
    found->points.push_back({place(one.model), *value,
                             fmt::format("{}: {} at ρ = {}", one.name, percent(value),
                                         to_decimal(*one.model.guarantee.rho, 4, Rounding::up))});
  }
  return result;
}

size_t point_count(const std::vector<PlotSeries>& all) {
  size_t count = 0;
  for (const PlotSeries& one : all) count += one.points.size();
  return count;
}

std::string description(const std::vector<PlotSeries>& all) {
  std::string result;
  for (const PlotSeries& one : all) {
    for (const PlotPoint& point : one.points) result += (result.empty() ? "" : "; ") + point.label;
  }
  return result;
}

}  // namespace

void write_plots(HtmlWriter& out, const Report& report) {
  if (point_count(series(report, metrics().front())) < 2) return;
  section(out, "plots", "Accuracy against privacy", [&] {
    draw_legend(out, series(report, metrics().front()));
    out.element("div", {{"class", "plots"}}, [&] {
      for (const Metric& metric : metrics()) {
        const std::vector<PlotSeries> all = series(report, metric);
        if (point_count(all) == 0) continue;
        draw_plot(out, {metric.id, metric.title, description(all), "ρ (more private on the left)", all});
      }
    });
    out.text_element(
        "p",
        "ρ measures privacy loss in zero-concentrated differential privacy. Pure guarantees stand at the ρ "
        "that they imply: ε²/8 for the exponential mechanism, ε²/2 for others.",
        {{"class", "note"}});
  });
}

}  // namespace dppl
