#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "dppl/experiments.h"
#include "lab/figures/kinds.h"
#include "report/pieces.h"

namespace dppl {
namespace {

void number_cell(HtmlWriter& out, std::string_view text) { out.text_element("td", text, {{"class", "number"}}); }

std::string seconds_in(const SweepRows& rows) {
  const auto all = statistics_of(rows, &SweepRow::seconds);
  return all ? fmt::format("{:.3g} ({:.3g} to {:.3g})", all->mean, all->least, all->most) : "–";
}

PlotSeries ranked(double ratio, std::vector<uint64_t> counts, const PlotLook& look) {
  std::sort(counts.rbegin(), counts.rend());
  PlotSeries series{fmt::format("ratio {}", ratio), {}, look};
  for (size_t i = 0; i < counts.size() && counts[i] > 0; ++i) {
    series.points.push_back({static_cast<double>(i + 1), static_cast<double>(counts[i]),
                             fmt::format("ratio {}: {} records", ratio, counts[i])});
  }
  return series;
}

Figure size_table(const std::map<double, std::vector<uint64_t>>& sizes) {
  Figure figure{"class-sizes-table", "", "Records of a class", "Records of a class at every imbalance ratio."};
  HtmlWriter& out = figure.table;
  table(out, figure.title, {"imbalance ratio", "classes", "records", "least", "median", "most"}, [&] {
    for (const auto& entry : sizes) {
      const std::vector<uint64_t>& counts = entry.second;
      if (counts.empty()) continue;
      const CountSummary all = summarise(counts);
      out.element("tr", {}, [&] {
        row_heading(out, fmt::format("{}", entry.first));
        for (const uint64_t value : {uint64_t{counts.size()}, all.total, all.min, all.median, all.max})
          number_cell(out, std::to_string(value));
      });
    }
  });
  return figure;
}

}  // namespace

std::vector<Figure> draw_runtime(const FigureSource& source) {
  std::vector<Figure> result;
  const SweepRows done = rows_where(source.rows, [](const SweepRow& row) { return row.status == "ok"; });
  for (const PlaceRows& group : by_place(at_main_size(done), Ratios::together)) {
    Figure figure{"runtime", place_words(group.place), titled("Seconds a run", group.place),
                  "Seconds of fitting and predicting, mean (least to most) over budgets and seeds; what runs share is "
                  "not counted."};
    const std::vector<std::string> ratios = distinct(by_ratio(group.rows), ratio_of);
    std::vector<std::string> headings{"method"};
    headings.insert(headings.end(), ratios.begin(), ratios.end());
    HtmlWriter& out = figure.table;
    table(out, figure.title, headings, [&] {
      for (const SweepRows& own : apart(group.rows, method_of)) {
        out.element("tr", {}, [&] {
          row_heading(out, own.front()->method);
          for (const std::string& ratio : ratios)
            number_cell(out, seconds_in(rows_where(own, [&](const SweepRow& row) { return ratio_of(row) == ratio; })));
        });
      }
    });
    result.push_back(std::move(figure));
  }
  return result;
}

std::vector<Figure> draw_class_sizes(const FigureSource& source) {
  const auto& sizes = source.results.class_sizes;
  double least = std::numeric_limits<double>::infinity(), most = 0, last = 1;
  std::vector<PlotSeries> series;
  for (const auto& [ratio, counts] : sizes) {
    series.push_back(ranked(ratio, counts, shade_of(series.size(), sizes.size())));
    for (const PlotPoint& point : series.back().points) {
      least = std::min(least, point.y);
      most = std::max(most, point.y);
      last = std::max(last, point.x);
    }
  }
  if (most == 0) return {};
  Figure figure{"class-sizes", "", "Sizes of the classes",
                "Records of the training classes, from the largest to the smallest, at every imbalance ratio, for the "
                "first seed."};
  figure.legend = series;
  figure.panels.push_back(
      {"Records", "rank of the class", Axis::counting(1, last), Axis::logarithmic(least, most), std::move(series)});
  return {figure, size_table(sizes)};
}

}  // namespace dppl
