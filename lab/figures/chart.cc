#include "lab/figures/chart.h"

#include <fmt/format.h>

#include <cmath>

#include "lab/constants.h"

namespace dppl {
namespace {

template <typename List>
size_t index_of(const List& list, const typename List::value_type& value) {
  return static_cast<size_t>(std::find(list.begin(), list.end(), value) - list.begin());
}

std::string in_words(const Statistics& all, Scale scale) {
  const auto value = [&](double y) { return scale == Scale::percent ? percent(y) : fmt::format("{:.4g}", y); };
  if (all.count == 1) return value(all.median);
  return fmt::format("{} ({} to {}, {} runs)", value(all.median), value(all.low), value(all.high), all.count);
}

Series series_of(const Chart& chart, const SweepRows& rows, const std::vector<std::string>& names, size_t number) {
  const SweepRows own = rows_where(rows, [&](const SweepRow& row) { return chart.series(row) == names[number]; });
  Series series{names[number], number};
  if (chart.looks.empty()) {
    series.shade = shade_of(number, names.size());
  } else {
    series.look = index_of(chart.looks, series.name);
  }
  series.hollow = any_tuned_on_test(own);
  const bool has_place = std::any_of(own.begin(), own.end(), [&](const SweepRow* row) {
    const auto samples = chart.samples(*row);
    return std::any_of(samples.begin(), samples.end(), [](const auto& sample) { return sample.x.has_value(); });
  });
  if (!has_place) series.mark = Mark::level;
  if (series.hollow) {
    series.name += fmt::format(" ({})", kTunedWords);
  } else if (!has_place) {
    series.name += " (no privacy)";
  }
  return series;
}

struct Counts {
  size_t least = SIZE_MAX, most = 0;  // runs at a point
};

std::vector<std::string> notes_of(const Figure& figure, const SweepRows& rows, const Counts& runs) {
  std::vector<std::string> notes{"One run a point."};
  if (runs.most > 1) {
    const std::string count =
        runs.least == runs.most ? fmt::format("{}", runs.most) : fmt::format("{} to {}", runs.least, runs.most);
    notes = {
        fmt::format("Lines: median over {} runs with different seeds. Bands: from the lower to the upper quartile "
                    "(25% to 75%).",
                    count)};
  }
  if (std::any_of(figure.series.begin(), figure.series.end(), [](const Series& one) { return one.hollow; }))
    notes.push_back(fmt::format("Dashed, hollow markers: {}; not private.", kTunedWords));
  const auto has_level = [](const Panel& panel) {
    return std::any_of(panel.points.begin(), panel.points.end(), [](const ChartPoint& point) { return !point.x; });
  };
  if (std::any_of(figure.panels.begin(), figure.panels.end(), has_level))
    notes.emplace_back("Dotted: without privacy.");
  const size_t failed = rows_where(rows, [](const SweepRow& row) { return row.status != "ok"; }).size();
  if (failed > 0) notes.push_back(fmt::format("{} of {} runs failed and are left out.", failed, rows.size()));
  return notes;
}

Figure figure_of(const Chart& chart, const SweepRows& rows, const std::string& place) {
  Figure figure{chart.name, place, fmt::format("{} · {}", chart.what, place), chart.caption};
  figure.x = chart.x;
  figure.y = chart.y;
  const std::vector<std::string> titles = distinct(rows, chart.panel), names = distinct(rows, chart.series);
  for (const std::string& title : titles) figure.panels.push_back({title});
  for (size_t i = 0; i < names.size(); ++i) figure.series.push_back(series_of(chart, rows, names, i));

  std::map<std::tuple<size_t, size_t, std::optional<double>>, std::vector<double>> values;
  for (const SweepRow* row : rows_where(rows, [](const SweepRow& one) { return one.status == "ok"; })) {
    for (const auto& [x, y] : chart.samples(*row)) {
      if (!std::isfinite(y) || (chart.y.scale == Scale::logarithmic && y <= 0)) continue;
      values[{index_of(titles, chart.panel(*row)), index_of(names, chart.series(*row)), x}].push_back(y);
    }
  }
  Counts runs;
  for (auto& [key, list] : values) {
    const auto& [panel, series, x] = key;
    const Statistics all = *statistics_of(std::move(list));
    ChartPoint point{series, x, all.median, chart.at(x), in_words(all, chart.y.scale)};
    if (all.count > 1) point.band.emplace(all.low, all.high);
    figure.panels[panel].points.push_back(std::move(point));
    runs = {std::min(runs.least, all.count), std::max(runs.most, all.count)};
  }
  for (Panel& panel : figure.panels) {
    if (panel.points.empty()) panel.note = "every run failed";
  }
  figure.notes = notes_of(figure, rows, runs);
  const bool drawable =
      std::any_of(values.begin(), values.end(), [](const auto& one) { return std::get<2>(one.first); });
  if (!drawable) figure.panels.clear();
  return figure;
}

}  // namespace

size_t shade_of(size_t place, size_t count) { return count > 1 ? place * (kShades - 1) / (count - 1) : 2; }

std::vector<Figure> figures_of(const Chart& chart, const SweepRows& rows, const std::string& place) {
  // References stand in every part.
  const std::vector<std::string> names = distinct(
      rows_where(rows, [&](const SweepRow& row) { return !chart.samples(row).empty() && chart.samples(row)[0].x; }),
      chart.series);
  const size_t parts = (names.size() + kMostSeries - 1) / kMostSeries;
  std::vector<Figure> result;
  for (size_t part = 0; part < parts; ++part) {
    const SweepRows own = rows_where(rows, [&](const SweepRow& row) {
      const size_t number = index_of(names, chart.series(row));
      return number == names.size() || number * parts / names.size() == part;
    });
    Figure figure = figure_of(chart, own, place);
    if (parts > 1) figure.title += fmt::format(" ({} of {})", part + 1, parts);
    if (!figure.panels.empty()) result.push_back(std::move(figure));
  }
  return result;
}

}  // namespace dppl
