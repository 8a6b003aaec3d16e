#include "lab/figures/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/pieces.h"

namespace dppl {
namespace {

constexpr size_t kMostSeries = 12;  // in one figure

// What the axes have to hold.
struct Range {
  double least = std::numeric_limits<double>::infinity(), most = -std::numeric_limits<double>::infinity();

  void hold(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  bool empty() const { return least > most; }
};

struct Extent {
  Range x, y, seeds;

  void hold(const PlotPoint& point, const Statistics& all) {
    for (const double y_value : {point.y, all.low, all.high}) y.hold(y_value);
    seeds.hold(static_cast<double>(all.count));
  }
};

PlotPoint point_of(double x, const Statistics& all, std::string label) {
  PlotPoint point{x, all.median, std::move(label)};
  if (all.count > 1) point.band.emplace(all.low, all.high);
  return point;
}

std::string in_words(const Statistics& all) {
  const std::string median = percent(all.median);
  if (all.count == 1) return fmt::format("{} in a single run", median);
  return fmt::format("{} ({} to {}, {} runs)", median, percent(all.low), percent(all.high), all.count);
}

PlotLook look_of(const std::vector<std::string>& looks, const std::string& name) {
  return {static_cast<size_t>(std::find(looks.begin(), looks.end(), name) - looks.begin())};
}

// One series in one panel.
PlotSeries series_of(const Chart& chart, const SweepRows& rows, const std::string& name, Extent& extent) {
  PlotSeries series{name, {}, {}, {}};
  for (const std::optional<double>& x : distinct(rows, chart.x)) {
    const auto all =
        statistics_of(rows_where(rows, [&](const SweepRow& row) { return chart.x(row) == x; }), chart.measure.value);
    if (!all) continue;
    if (x) {
      series.points.push_back(point_of(*x, *all, fmt::format("{}: {} at {}", name, in_words(*all), *x)));
      extent.x.hold(*x);
      extent.hold(series.points.back(), *all);
    } else {
      series.level = point_of(0, *all, fmt::format("{}: {}", name, in_words(*all)));
      extent.hold(*series.level, *all);
    }
  }
  return series;
}

std::vector<std::string> notes_of(const SweepRows& rows, const std::vector<PlotSeries>& legend, const Range& seeds) {
  std::vector<std::string> notes;
  if (seeds.most > 1) {
    const std::string count =
        seeds.least == seeds.most ? fmt::format("{}", seeds.most) : fmt::format("{} to {}", seeds.least, seeds.most);
    notes.push_back(
        fmt::format("Lines: median over {} runs with different seeds. Bands: from the lower to the upper quartile "
                    "(25% to 75%).",
                    count));
  } else {
    notes.emplace_back("One run a point.");
  }
  if (std::any_of(legend.begin(), legend.end(), [](const auto& series) { return series.look.dashed; }))
    notes.push_back(fmt::format("Dashed, hollow markers: {}; not private.", kTunedWords));
  if (std::any_of(legend.begin(), legend.end(), [](const auto& series) { return series.level.has_value(); }))
    notes.emplace_back("Dotted: without privacy.");
  const size_t failed = rows_where(rows, [](const SweepRow& row) { return row.status != "ok"; }).size();
  if (failed > 0) notes.push_back(fmt::format("{} of {} runs failed and are left out.", failed, rows.size()));
  return notes;
}

std::string legend_name(const PlotSeries& series) {
  if (series.look.dashed) return fmt::format("{} ({})", series.name, kTunedWords);
  return series.level && series.points.empty() ? series.name + " (no privacy)" : series.name;
}

Figure figure_of(const Chart& chart) {
  Figure figure{chart.name, chart.place, chart.title, chart.caption};
  const std::vector<std::string> titles = distinct(chart.rows, chart.panel), names = distinct(chart.rows, chart.series);
  Extent extent;
  std::vector<std::vector<PlotSeries>> panels(titles.size());
  for (size_t j = 0; j < names.size(); ++j) {
    const SweepRows own = rows_where(chart.rows, [&](const SweepRow& row) { return chart.series(row) == names[j]; });
    PlotSeries in_legend{
        names[j], {}, chart.looks.empty() ? shade_of(j, names.size()) : look_of(chart.looks, names[j])};
    in_legend.look.dashed = any_tuned_on_test(own);
    for (size_t i = 0; i < titles.size(); ++i) {
      const SweepRows here = rows_where(own, [&](const SweepRow& row) { return chart.panel(row) == titles[i]; });
      panels[i].push_back(series_of(chart, here, names[j], extent));
      panels[i].back().look = in_legend.look;
      if (panels[i].back().level) in_legend.level = panels[i].back().level;
      if (!panels[i].back().points.empty()) in_legend.points = panels[i].back().points;
    }
    in_legend.name = legend_name(in_legend);
    for (auto& panel : panels) panel.back().name = in_legend.name;
    figure.legend.push_back(std::move(in_legend));
  }
  if (extent.x.empty()) return figure;
  const Axis x = Axis::logarithmic(extent.x.least, extent.x.most), y = Axis::percent(extent.y.least, extent.y.most);
  for (size_t i = 0; i < titles.size(); ++i) {
    const bool nothing = std::all_of(panels[i].begin(), panels[i].end(),
                                     [](const PlotSeries& one) { return one.points.empty() && !one.level; });
    figure.panels.push_back({titles[i], chart.x_label, x, y, std::move(panels[i])});
    if (nothing) figure.panels.back().note = "every run failed";
  }
  figure.notes = notes_of(chart.rows, figure.legend, extent.seeds);
  return figure;
}

}  // namespace

PlotLook shade_of(size_t place, size_t count) {
  return {place, false, count > 1 ? place * (kShades - 1) / (count - 1) : 2};
}

std::vector<Figure> figures_of(const Chart& chart) {
  // References stand in every part.
  const std::vector<std::string> names =
      distinct(rows_where(chart.rows, [&](const SweepRow& row) { return chart.x(row).has_value(); }), chart.series);
  const size_t parts = (names.size() + kMostSeries - 1) / kMostSeries;
  std::vector<Figure> result;
  for (size_t part = 0; part < parts; ++part) {
    Chart one = chart;
    if (parts > 1) {
      one.title += fmt::format(" ({} of {})", part + 1, parts);
      one.rows = rows_where(chart.rows, [&](const SweepRow& row) {
        const auto place =
            static_cast<size_t>(std::find(names.begin(), names.end(), chart.series(row)) - names.begin());
        return place == names.size() || place * parts / names.size() == part;
      });
    }
    Figure figure = figure_of(one);
    if (!figure.panels.empty()) result.push_back(std::move(figure));
  }
  return result;
}

std::vector<Figure> figures_of(const StepChart& chart) {
  Figure figure{chart.name, chart.place, chart.title, chart.caption};
  const std::vector<std::string> names = distinct(chart.rows, chart.series);
  Extent extent;
  std::vector<std::pair<std::string, std::vector<PlotSeries>>> panels;
  for (const std::string& title : distinct(chart.rows, chart.panel)) {
    panels.emplace_back(title, std::vector<PlotSeries>());
    for (size_t j = 0; j < names.size(); ++j) {
      std::vector<std::vector<double>> steps;
      for (const SweepRow* row : chart.rows) {
        if (row->status != "ok" || chart.panel(*row) != title || chart.series(*row) != names[j]) continue;
        const std::vector<double> values = chart.values(*row);
        if (steps.size() < values.size()) steps.resize(values.size());
        for (size_t i = 0; i < values.size(); ++i) {
          if (values[i] > 0 && std::isfinite(values[i])) steps[i].push_back(values[i]);
        }
      }
      PlotSeries series{names[j], {}, shade_of(j, names.size())};
      for (size_t i = 0; i < steps.size(); ++i) {
        const auto all = statistics_of(steps[i]);
        if (!all) continue;
        const auto x = static_cast<double>(i + 1);
        series.points.push_back(point_of(x, *all, fmt::format("{}: {:.4g} at step {}", names[j], all->median, i + 1)));
        extent.x.hold(x);
        extent.hold(series.points.back(), *all);
      }
      if (panels.size() == 1) figure.legend.push_back({names[j], {}, series.look});
      panels.back().second.push_back(std::move(series));
    }
  }
  if (extent.x.empty()) return {};
  const Axis x = Axis::counting(extent.x.least, extent.x.most);
  const Axis y = Axis::logarithmic(extent.y.least, extent.y.most);
  for (auto& [title, series] : panels) figure.panels.push_back({title, "step", x, y, std::move(series)});
  figure.notes = notes_of(chart.rows, figure.legend, extent.seeds);
  return {figure};
}

}  // namespace dppl
