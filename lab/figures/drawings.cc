#include "lab/figures/drawings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "dppl/error.h"
#include "lab/figures/kinds.h"

namespace dppl {
namespace {

const std::vector<FigureKind>& kinds() {
  static const std::vector<FigureKind> all = [] {
    std::vector<FigureKind> both(kComparisons.begin(), kComparisons.end());
    both.insert(both.end(), kInventories.begin(), kInventories.end());
    return both;
  }();
  return all;
}

Figure missing(const FigureKind& kind) {
  return {std::string(kind.name), "", fmt::format("Missing: {}", kind.name),
          fmt::format("Not drawn: it needs {}, and there are none.", kind.needs)};
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
void name_apart(Figures& figures) {
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

void append(Figures& figures, Figures more) {
  for (Figure& figure : more) figures.push_back(std::move(figure));
}

std::span<const std::string_view> sweep_figures() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> result;
    for (const FigureKind& kind : kinds()) result.push_back(kind.name);
    return result;
  }();
  return names;
}

Figures sweep_drawings(const SweepResults& results) {
  const auto names = sweep_figures();
  for (const std::string& name : results.figures) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw InvalidInput(fmt::format("figures: '{}' is not known; use {}", name, fmt::join(names, ", ")));
  }
  const SweepRows rows = all_rows(results.rows);
  const FigureSource source{results, by_ratio(rows), distinct(rows, method_of)};
  Figures result;
  for (const FigureKind& kind : kinds()) {
    const bool asked = std::find(results.figures.begin(), results.figures.end(), kind.name) != results.figures.end();
    if (!asked && !results.figures.empty()) continue;
    Figures figures = kind.draw(source);
    if (figures.empty() && asked) figures.push_back(missing(kind));
    append(result, std::move(figures));
  }
  name_apart(result);
  return result;
}

}  // namespace dppl
