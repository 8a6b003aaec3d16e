#include <fmt/format.h>

#include "lab/figures/kinds.h"
#include "report/pieces.h"

namespace dppl {
namespace {

// "coinpress", "naive" or another: ours have it among their settings, baselines in their name.
std::string estimator_of(const SweepRow& row) {
  for (const char* estimator : {"coinpress", "naive"}) {
    if (row.kind.starts_with(estimator)) return estimator;
  }
  return row.kind == "mean" ? setting(row, "estimator") : "";
}

bool selects(const SweepRow& row) { return (row.kind == "public" || row.kind == "public-k") && !row.tuned_on_test; }
std::string mechanism_of(const SweepRow& row) {
  const std::string asked = setting(row, "mechanism");
  return asked.empty() ? setting(row, "selection") : asked;
}

constexpr std::string_view kProjected = "projection-";
bool is_projected(const SweepRow& row) {
  return row.kind.starts_with(kProjected) || row.transform.starts_with("pca:") || row.transform.starts_with("whiten:");
}
std::string family_of(const SweepRow& row) {
  return row.kind.starts_with(kProjected) ? row.kind.substr(kProjected.size()) : row.kind;
}

std::string k_words(const SweepRow& row) { return fmt::format("K = {}", *k_of(row)); }

// The K with the highest mean, and that mean.
std::string best_k(const SweepRows& rows) {
  std::string best = "–";
  double most = -1;
  for (const SweepRows& own : apart(rows, k_words)) {
    const auto all = statistics_of(own, kBalanced.value);
    if (!all || all->mean <= most) continue;
    most = all->mean;
    best = fmt::format("{} ({:.1f}%)", k_words(*own.front()), 100 * most);
  }
  return best;
}

Figure best_k_table(const PlaceRows& group) {
  Figure figure{"top-k-best", place_words(group.place), titled("Best K", group.place),
                "The K with the highest mean balanced accuracy at each budget, and that accuracy: chosen by test "
                "accuracy, an upper bound."};
  const auto columns = budgets(group.rows);
  std::vector<std::string> headings{"imbalance ratio"};
  for (const auto& rho : columns) headings.push_back(budget_words(rho));
  HtmlWriter& out = figure.table;
  table(out, figure.title, headings, [&] {
    for (const SweepRows& own : apart(by_ratio(group.rows), ratio_of)) {
      out.element("tr", {}, [&] {
        row_heading(out, fmt::format("{}", own.front()->ratio));
        for (const auto& rho : columns) {
          const SweepRows here = rows_where(own, [&](const SweepRow& row) { return row.rho == rho; });
          out.text_element("td", best_k(here), {{"class", "number"}});
        }
      });
    }
  });
  return figure;
}

// What the trace of CoinPress has under `key`.
std::vector<Figure> draw_steps(const SweepRows& rows, const char* key, std::string_view what) {
  std::vector<Figure> result;
  const SweepRows stepping = rows_where(
      rows, [&](const SweepRow& row) { return estimator_of(row) == "coinpress" && !traced(row, key).empty(); });
  for (const PlaceRows& group : by_place(at_main_size(stepping), Ratios::together)) {
    const bool one_method = count_distinct(group.rows, method_of) == 1;
    append(result, figures_of(StepChart{
                       .name = fmt::format("coinpress-{}", key),
                       .place = place_words(group.place),
                       .title = titled(fmt::format("Steps of CoinPress: {}", what), group.place),
                       .caption = fmt::format(
                           "The {} after every step of CoinPress: where it grows, the estimate diverges.", what),
                       .rows = by_budget(group.rows),
                       .panel =
                           [one_method](const SweepRow& row) {
                             return one_method ? ratio_of(row) : fmt::format("{}, ratio {}", row.method, row.ratio);
                           },
                       .series = budget_of,
                       .values = [key](const SweepRow& row) { return traced(row, key); }}));
  }
  return result;
}

}  // namespace

std::vector<Figure> draw_top_k(const FigureSource& source) {
  const SweepRows rows = by_k(rows_where(source.rows, [](const SweepRow& row) {
    return selects(row) && k_of(row) && (mechanism_of(row).empty() || mechanism_of(row) == "exponential");
  }));
  const auto fills = [](const SweepRows& own) { return count_distinct(own, k_of) > 1; };
  Chart chart = comparison("top-k", "Balanced accuracy against ρ with K public prototypes for every class.", source);
  chart.series = k_words;
  chart.looks.clear();
  std::vector<Figure> result = for_every_place(rows, chart, "Top-K: balanced accuracy", fills);
  for (const PlaceRows& group : by_place(at_main_size(rows), Ratios::together)) {
    if (fills(group.rows)) result.push_back(best_k_table(group));
  }
  return result;
}

std::vector<Figure> draw_coinpress(const FigureSource& source) {
  const SweepRows rows = rows_where(source.rows, [](const SweepRow& row) {
    return estimator_of(row) == "coinpress" || estimator_of(row) == "naive";
  });
  std::vector<Figure> result = for_every_place(
      rows, comparison("coinpress", "CoinPress against the naive estimate of class means, balanced accuracy.", source),
      "CoinPress and naive means: balanced accuracy",
      [](const SweepRows& own) { return count_distinct(own, estimator_of) > 1; });
  append(result, draw_steps(rows, "radius", "radius"));
  append(result, draw_steps(rows, "error", "error of the estimate"));
  return result;
}

std::vector<Figure> draw_mechanisms(const FigureSource& source) {
  const SweepRows rows = rows_where(source.rows, [](const SweepRow& row) {
    return selects(row) && !mechanism_of(row).empty() && k_of(row).value_or(1) == 1;
  });
  Chart chart = comparison("mechanisms", "Balanced accuracy against ρ with different mechanisms of selection.", source);
  chart.series = [](const SweepRow& row) {
    return row.method == mechanism_of(row) ? row.method : fmt::format("{} ({})", mechanism_of(row), row.method);
  };
  chart.looks = distinct(rows, chart.series);
  return for_every_place(rows, chart, "Mechanisms of selection: balanced accuracy",
                         [](const SweepRows& own) { return count_distinct(own, mechanism_of) > 1; });
}

std::vector<Figure> draw_projection(const FigureSource& source) {
  const SweepRows rows = where_differs(source.rows, family_of, is_projected);
  Chart chart = comparison("projection",
                           "Balanced accuracy against ρ with a projection of the embeddings and without one.", source);
  chart.panel = [](const SweepRow& row) { return fmt::format("{}, ratio {}", family_of(row), row.ratio); };
  return for_every_place(rows, chart, "With and without projection: balanced accuracy",
                         [](const SweepRows& own) { return count_distinct(own, is_projected) > 1; });
}

}  // namespace dppl
