#include <fmt/format.h>

#include "lab/figures/kinds.h"

namespace dppl {

std::string titled(std::string_view what, const Place& place) { return fmt::format("{} · {}", what, words_of(place)); }

std::string place_words(const Place& place) { return fmt::format("{} {} {}", place.data, place.encoder, place.pool); }

void append(std::vector<Figure>& figures, std::vector<Figure> more) {
  for (Figure& figure : more) figures.push_back(std::move(figure));
}

Chart comparison(std::string name, std::string caption, const FigureSource& source) {
  return {.name = std::move(name),
          .place = "",
          .title = "",
          .caption = std::move(caption),
          .rows = {},
          .panel = ratio_of,
          .series = method_of,
          .looks = source.methods};
}

std::vector<Figure> for_every_place(const SweepRows& rows, const Chart& model, std::string_view what,
                                    const std::function<bool(const SweepRows&)>& fills) {
  std::vector<Figure> result;
  for (const PlaceRows& group : by_place(at_main_size(rows), Ratios::together)) {
    if (!fills(group.rows)) continue;
    Chart chart = model;
    chart.rows = group.rows;
    chart.title = titled(what, group.place);
    chart.place = place_words(group.place);
    append(result, figures_of(chart));
  }
  return result;
}

std::vector<Figure> draw_budget(const FigureSource& source) {
  return for_every_place(source.rows,
                         comparison("budget",
                                    "Balanced accuracy on the test set against the privacy budget ρ, for every ratio "
                                    "of the largest class to the smallest.",
                                    source),
                         "Balanced accuracy", [](const SweepRows&) { return true; });
}

std::vector<Figure> draw_minority(const FigureSource& source) {
  Chart chart = comparison(
      "minority", "Accuracy on the quarter of the classes with the fewest training records, against ρ.", source);
  chart.measure = kMinority;
  return for_every_place(source.rows, chart, "Minority accuracy", [](const SweepRows&) { return true; });
}

std::vector<Figure> draw_encoders(const FigureSource& source) {
  std::vector<Figure> result;
  const auto same = [](const SweepRow& row) { return std::tuple(row.data, row.ratio, row.method, row.pool); };
  const SweepRows rows = where_differs(at_main_size(source.rows), same, encoder_of);
  const auto place = [](const SweepRow& row) { return std::pair(row.data, row.ratio); };
  for (const SweepRows& all : apart(rows, place)) {
    std::vector<std::string> pools = distinct(all, [](const SweepRow& row) { return row.pool; });
    if (pools.size() > 1) std::erase(pools, "");  // methods without one stand beside each
    for (const std::string& pool : pools) {
      Chart chart =
          comparison("encoders", "Balanced accuracy against ρ with embeddings of different encoders.", source);
      chart.rows = rows_where(all, [&](const SweepRow& row) { return row.pool == pool || row.pool.empty(); });
      chart.panel = encoder_of;
      const SweepRow& first = *chart.rows.front();
      chart.place = fmt::format("{} {} ir{}", first.data, pool, first.ratio);
      chart.title = fmt::format("Encoders: balanced accuracy · {}, {}imbalance ratio {}", first.data,
                                pool.empty() ? "" : fmt::format("pool {}, ", pool), first.ratio);
      append(result, figures_of(chart));
    }
  }
  return result;
}

}  // namespace dppl
