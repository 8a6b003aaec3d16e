#include "lab/figures/drawings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "dppl/error.h"
#include "lab/figures/kinds.h"
#include "report/style.h"
#include "report/vega.h"

namespace dppl {
namespace {

struct Kind {
  std::string_view name, needs;
  std::vector<Figure> (*draw)(const FigureSource& source);
};
constexpr Kind kKinds[] = {
    {"budget", "runs with a budget ρ that did not fail", draw_budget},
    {"minority", "runs with a budget ρ that did not fail", draw_minority},
    {"encoders", "runs of a method on the same data with two encoders or more", draw_encoders},
    {"pool-size", "runs of a method with two sizes of a pool or more", draw_pool_size},
    {"pool-choice", "runs of a method with two pools or more", draw_pool_choice},
    {"top-k", "runs of public or public-k with two values of k or more", draw_top_k},
    {"coinpress", "runs with the estimators coinpress and naive, or with a trace of the radius", draw_coinpress},
    {"mechanisms", "runs of public with two mechanisms or more", draw_mechanisms},
    {"projection", "runs of a method with a projection and without one", draw_projection},
    {"runtime", "runs that did not fail", draw_runtime},
    {"class-sizes", "class sizes, which a sweep writes beside its rows", draw_class_sizes},
    {"map", "a map, which a plan has to ask for", draw_maps}};
constexpr auto kNames = [] {
  std::array<std::string_view, std::size(kKinds)> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = kKinds[i].name;
  return names;
}();

Figure missing(const Kind& kind) {
  Figure figure{std::string(kind.name), "", fmt::format("Missing: {}", kind.name),
                fmt::format("Not drawn: it needs {}, and there are none.", kind.needs)};
  figure.table.text_element("p", figure.caption, {{"class", "warning"}});
  return figure;
}

// "Shifted data, 2" → "-shifted-data-2"
std::string slug(std::string_view words) {
  std::string result = "-";
  for (const char c : words) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && std::isalnum(byte) != 0) {
      result += static_cast<char>(std::tolower(byte));
    } else if (!result.ends_with('-')) {
      result += '-';
    }
  }
  while (result.ends_with('-')) result.pop_back();
  return result;
}

// Their places, where several have the same name; numbers, where that is not enough.
void name_apart(std::vector<Figure>& figures) {
  std::multiset<std::string> names;
  for (const Figure& figure : figures) names.insert(figure.name);
  std::set<std::string> taken;
  for (Figure& figure : figures) {
    if (names.count(figure.name) > 1) figure.name += slug(figure.place);
    const std::string name = figure.name;
    for (int i = 2; !taken.insert(figure.name).second; ++i) figure.name = fmt::format("{}-{}", name, i);
  }
}

}  // namespace

std::span<const std::string_view> sweep_figures() { return kNames; }

std::vector<Figure> sweep_drawings(const SweepResults& results) {
  for (const std::string& name : results.figures) {
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end())
      throw InvalidInput(fmt::format("figures: '{}' is not known; use {}", name, fmt::join(kNames, ", ")));
  }
  const SweepRows rows = all_rows(results.rows);
  const FigureSource source{results, by_ratio(rows), distinct(rows, method_of)};
  std::vector<Figure> result;
  for (const Kind& kind : kKinds) {
    const bool asked = std::find(results.figures.begin(), results.figures.end(), kind.name) != results.figures.end();
    if (!asked && !results.figures.empty()) continue;
    std::vector<Figure> figures = kind.draw(source);
    if (figures.empty() && asked) figures.push_back(missing(kind));
    append(result, std::move(figures));
  }
  name_apart(result);
  return result;
}

std::vector<SweepFigure> draw_figures(const SweepResults& results) {
  std::vector<SweepFigure> result;
  for (const Figure& figure : sweep_drawings(results)) {
    const bool drawn = !figure.panels.empty();
    result.push_back({figure.name, figure.caption, drawn ? svg_document(figure) : "",
                      drawn ? in_light_colours(vega_lite(figure)) + "\n" : "", figure.table.html()});
  }
  return result;
}

}  // namespace dppl
