#include <fmt/format.h>

#include "lab/figures/kinds.h"

namespace dppl {

std::vector<Figure> draw_pool_size(const FigureSource& source) {
  std::vector<Figure> result;
  const auto same = [](const SweepRow& row) {
    return std::tuple(row.data, row.encoder, row.pool, row.ratio, row.method, row.rho);
  };
  const SweepRows rows = by_ratio(where_differs(source.rows, same, [](const SweepRow& row) { return row.pool_rows; }));
  const auto place = [](const SweepRow& row) { return std::tuple(row.data, row.encoder, row.pool); };
  for (const SweepRows& pool : apart(rows, place)) {
    Chart chart =
        comparison("pool-size", "Balanced accuracy against the number of public rows to choose from.", source);
    chart.x_label = "rows of the pool";
    chart.x = [](const SweepRow& row) { return std::optional(static_cast<double>(row.pool_rows)); };
    // With several budgets these are the lines, and every ratio has a figure with one panel a method.
    const bool one_budget = count_distinct(pool, budget_of) == 1;
    if (!one_budget) {
      chart.panel = method_of;
      chart.series = budget_of;
      chart.looks.clear();
    }
    for (const SweepRows& own : apart(pool, [&](const SweepRow& row) { return one_budget ? 0 : row.ratio; })) {
      const SweepRow& first = *own.front();
      const std::string rest = one_budget ? budget_of(first) : fmt::format("imbalance ratio {}", first.ratio);
      chart.rows = by_budget(own);
      chart.place = fmt::format("{} {} {} {}", first.data, first.encoder, first.pool, rest);
      chart.title = fmt::format("Rows of the pool {}: balanced accuracy · {}, {}, {}", first.pool, first.data,
                                first.encoder, rest);
      append(result, figures_of(chart));
    }
  }
  return result;
}

std::vector<Figure> draw_pool_choice(const FigureSource& source) {
  std::vector<Figure> result;
  const auto same = [](const SweepRow& row) { return std::tuple(row.data, row.encoder, row.ratio, row.method); };
  const SweepRows pooled = rows_where(at_main_size(source.rows), [](const SweepRow& row) { return !row.pool.empty(); });
  const SweepRows rows = by_ratio(where_differs(pooled, same, pool_of));
  const auto place = [](const SweepRow& row) { return std::tuple(row.data, row.encoder, row.ratio); };
  for (const SweepRows& own : apart(rows, place)) {
    const SweepRow& first = *own.front();
    Chart chart = comparison("pool-choice", "Balanced accuracy against ρ with different public pools.", source);
    chart.place = fmt::format("{} {} ir{}", first.data, first.encoder, first.ratio);
    chart.title = fmt::format("Choice of the pool: balanced accuracy · {}, {}, imbalance ratio {}", first.data,
                              first.encoder, first.ratio);
    chart.rows = own;
    chart.panel = method_of;
    chart.series = pool_of;
    chart.looks = distinct(rows, pool_of);
    append(result, figures_of(chart));
  }
  return result;
}

}  // namespace dppl
