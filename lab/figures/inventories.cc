// Figures that compare no methods: what runs took, what they were run on, and where class means lie.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dppl/experiments.h"
#include "lab/figures/chart.h"
#include "lab/figures/kinds.h"

namespace dppl {
namespace {

std::string seconds_in(const SweepRows& rows) {
  const auto all = statistics_of(rows, &SweepRow::seconds);
  return all ? fmt::format("{:.3g} ({:.3g} to {:.3g})", all->mean, all->least, all->most) : "–";
}

ChartPoint mean_in(const MapPoint& point, size_t series, std::string tag = "") {
  return {series,
          point.x,
          point.y,
          fmt::format("class {}", point.label),
          fmt::format("{:.3g}, {:.3g}", point.x, point.y),
          {},
          std::move(tag)};
}

// ---- The kinds

Figures draw_runtime(const FigureSource& source) {
  Figures result;
  const SweepRows done = rows_where(source.rows, [](const SweepRow& row) { return row.status == "ok"; });
  for (const PlaceRows& group : by_place(at_main_size(done), Ratios::together)) {
    const std::string place = words_of(group.place);
    Figure figure{"runtime", place, "Seconds a run · " + place,
                  "Seconds of fitting and predicting, mean (least to most) over budgets and seeds; what runs share is "
                  "not counted."};
    figure.table.headings = {"method"};
    const std::vector<std::string> ratios = distinct(by_ratio(group.rows), ratio_of);
    figure.table.headings.insert(figure.table.headings.end(), ratios.begin(), ratios.end());
    for (const SweepRows& own : apart(group.rows, method_of)) {
      figure.table.rows.push_back({{own.front()->method}});
      for (const std::string& ratio : ratios)
        figure.table.rows.back().push_back(
            {seconds_in(rows_where(own, [&](const SweepRow& row) { return ratio_of(row) == ratio; }))});
    }
    result.push_back(std::move(figure));
  }
  return result;
}

Figures draw_class_sizes(const FigureSource& source) {
  Figure figure{"class-sizes", "", "Sizes of the classes",
                "Records of the training classes of the first data set, from the largest to the smallest, at every "
                "imbalance ratio or as it comes, for the first seed."};
  Figure summary{"class-sizes-table", "", "Records of a class", "Records of a class of the first data set."};
  summary.table.headings = {"data", "classes", "records", "least", "median", "most"};
  figure.x = {Scale::counting, "rank of the class"};
  figure.y = {Scale::logarithmic};
  figure.panels = {{"Records"}};
  for (auto [ratio, counts] : source.results.class_sizes) {
    if (counts.empty()) continue;
    const size_t number = figure.series.size();
    figure.series.push_back(
        {ratio_words(ratio), number, Mark::curve, shade_of(number, source.results.class_sizes.size())});
    const CountSummary all = summarise(counts);
    summary.table.rows.push_back({{ratio_words(ratio)}});
    for (const uint64_t value : {uint64_t{counts.size()}, all.total, all.min, all.median, all.max})
      summary.table.rows.back().push_back({std::to_string(value)});
    std::sort(counts.rbegin(), counts.rend());
    for (size_t i = 0; i < counts.size() && counts[i] > 0; ++i) {
      figure.panels[0].points.push_back({number, static_cast<double>(i + 1), static_cast<double>(counts[i]),
                                         fmt::format("{}", i + 1), std::to_string(counts[i])});
    }
  }
  if (figure.panels[0].points.empty()) return {};
  return {figure, summary};
}

Figures draw_maps(const FigureSource& source) {
  Figures result;
  for (const SweepMap& map : source.results.maps) {
    const std::string place = fmt::format("{}, ρ = {}, {}", map.method, map.rho, ratio_words(map.ratio));
    Figure figure{"map", place, "Class means in the plane · " + place,
                  "Lines lead from the true mean of a class to the private one, which has its number; test points by "
                  "whether they were classified rightly."};
    figure.alarm = "Shows private data: not for publication";
    figure.x = figure.y = {Scale::bare};
    figure.series = {{"true mean", 5, Mark::points},
                     {"private mean", 3, Mark::points},
                     {"test point, right", 0, Mark::specks},
                     {"test point, wrong", 1, Mark::specks}};
    Panel means{"True and private means"}, tests{""};
    std::map<uint32_t, const MapPoint*> truth;
    size_t all = 0, right = 0;
    for (const MapPoint& point : map.points) {
      if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
      if (point.kind == MapPoint::Kind::test) {
        tests.points.push_back({point.right ? 2u : 3u, point.x, point.y, "", ""});
        ++all;
        right += point.right ? 1 : 0;
      } else if (point.kind == MapPoint::Kind::true_mean) {
        truth[point.label] = &point;
        means.points.push_back(mean_in(point, 0));
      } else {
        means.points.push_back(mean_in(point, 1, std::to_string(point.label)));
        tests.points.push_back(means.points.back());
      }
    }
    for (const ChartPoint& point : means.points) {
      const auto from = point.series == 1 ? truth.find(static_cast<uint32_t>(std::stoul(point.tag))) : truth.end();
      if (from != truth.end()) means.segments.push_back({from->second->x, from->second->y, *point.x, point.y});
    }
    if (means.points.empty() && tests.points.empty()) continue;
    tests.title = fmt::format("Test points: {} of {} right", right, all);
    figure.panels = {std::move(means), std::move(tests)};
    result.push_back(std::move(figure));
  }
  return result;
}

}  // namespace

const std::array<FigureKind, 3> kInventories = {
    {{"runtime", "runs that did not fail", draw_runtime},
     {"class-sizes", "class sizes, which a sweep writes beside its rows", draw_class_sizes},
     {"map", "a map, which a plan has to ask for", draw_maps}}};

}  // namespace dppl
