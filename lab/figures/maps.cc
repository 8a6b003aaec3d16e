#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/figures/kinds.h"

namespace dppl {
namespace {

std::vector<const MapPoint*> points_of(const SweepMap& map, MapPoint::Kind kind) {
  std::vector<const MapPoint*> result;
  for (const MapPoint& point : map.points) {
    if (point.kind == kind && std::isfinite(point.x) && std::isfinite(point.y)) result.push_back(&point);
  }
  return result;
}

PlotSeries means_of(const SweepMap& map, MapPoint::Kind kind, std::string name, size_t look, bool tagged) {
  PlotSeries series{std::move(name), {}, {look}};
  series.joined = false;
  for (const MapPoint* point : points_of(map, kind)) {
    const std::string label = std::to_string(point->label);
    series.points.push_back({point->x, point->y, "class " + label, {}, tagged ? label : ""});
  }
  return series;
}

std::vector<PlotArrow> arrows_of(const SweepMap& map) {
  std::vector<PlotArrow> arrows;
  const auto ends = points_of(map, MapPoint::Kind::private_mean);
  for (const MapPoint* from : points_of(map, MapPoint::Kind::true_mean)) {
    const auto to = std::find_if(ends.begin(), ends.end(), [&](const auto* end) { return end->label == from->label; });
    if (to != ends.end()) arrows.push_back({from->x, from->y, (*to)->x, (*to)->y});
  }
  return arrows;
}

PlotCloud cloud_of(const SweepMap& map, bool right) {
  PlotCloud cloud{{}, right};
  for (const MapPoint* point : points_of(map, MapPoint::Kind::test)) {
    if (point->right == right) cloud.points.emplace_back(point->x, point->y);
  }
  return cloud;
}

// Around the finite points.
template <typename Coordinate>
std::optional<Axis> axis_around(const SweepMap& map, Coordinate coordinate) {
  std::vector<double> values;
  for (const auto kind : {MapPoint::Kind::true_mean, MapPoint::Kind::private_mean, MapPoint::Kind::test}) {
    for (const MapPoint* point : points_of(map, kind)) values.push_back(point->*coordinate);
  }
  const auto all = statistics_of(std::move(values));
  return all ? std::optional(Axis::bare(all->least, all->most)) : std::nullopt;
}

}  // namespace

std::vector<Figure> draw_maps(const FigureSource& source) {
  std::vector<Figure> result;
  for (const SweepMap& map : source.results.maps) {
    const auto x = axis_around(map, &MapPoint::x), y = axis_around(map, &MapPoint::y);
    if (!x) continue;
    Figure figure{
        "map", fmt::format("{} rho {} ir{}", map.method, map.rho, map.ratio),
        fmt::format("Class means in the plane · {}, ρ = {}, imbalance ratio {}", map.method, map.rho, map.ratio),
        "Arrows lead from the true mean of a class to the private one; test points by whether they were classified "
        "rightly."};
    figure.alarm = "Shows private data: not for publication";
    const PlotSeries truth = means_of(map, MapPoint::Kind::true_mean, "true mean", 5, false);
    const PlotSeries released = means_of(map, MapPoint::Kind::private_mean, "private mean", 3, true);
    const PlotCloud right = cloud_of(map, true), wrong = cloud_of(map, false);
    figure.legend = {truth, released};
    figure.panels.push_back({"True and private means", "", *x, *y, {truth, released}, arrows_of(map)});
    figure.panels.push_back(
        {fmt::format("Test points: {} of {} right", right.points.size(), right.points.size() + wrong.points.size()),
         "",
         *x,
         *y,
         {released},
         {},
         {right, wrong}});
    figure.notes = {"Test points: dots are right, crosses are wrong. Numbers are classes."};
    result.push_back(std::move(figure));
  }
  return result;
}

}  // namespace dppl
