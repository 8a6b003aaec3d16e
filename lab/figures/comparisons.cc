#include <fmt/format.h>

#include "lab/figures/chart.h"
#include "lab/figures/kinds.h"

namespace dppl {
namespace {

// The chart for every place that has something to show.
template <typename Fills>
Figures for_every_place(const SweepRows& rows, const Chart& chart, Fills&& fills) {
  Figures result;
  for (const PlaceRows& group : by_place(at_main_size(rows), Ratios::together)) {
    if (fills(group.rows)) append(result, figures_of(chart, group.rows, words_of(group.place)));
  }
  return result;
}

template <typename Key>
auto several(Key key) {
  return [key](const SweepRows& rows) { return count_distinct(rows, key) > 1; };
}
bool always(const SweepRows&) { return true; }

// ---- What a run was made with

// "coinpress", "naive" or another: ours have it among their settings, baselines in their name.
std::string estimator_of(const SweepRow& row) {
  for (const char* estimator : {"coinpress", "naive"}) {
    if (row.kind.starts_with(estimator)) return estimator;
  }
  return "";
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

// ---- Tables and steps

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
  const std::string place = words_of(group.place);
  Figure figure{"top-k-best", place, "Best K · " + place,
                "The K with the highest mean balanced accuracy at each budget, and that accuracy: chosen by test "
                "accuracy, an upper bound."};
  const auto columns = budgets(group.rows);
  figure.table.headings = {"data"};
  for (const auto& rho : columns) figure.table.headings.push_back(budget_words(rho));
  for (const SweepRows& own : apart(by_ratio(group.rows), ratio_of)) {
    figure.table.rows.push_back({{ratio_words(own.front()->ratio)}});
    for (const auto& rho : columns)
      figure.table.rows.back().push_back({best_k(rows_where(own, [&](const auto& row) { return row.rho == rho; }))});
  }
  return figure;
}

// What the trace of CoinPress has under `key`.
Figures draw_steps(const SweepRows& rows, const char* key, std::string_view what) {
  Chart chart{fmt::format("coinpress-{}", key), fmt::format("Steps of CoinPress: {}", what),
              fmt::format("The {} after every step of CoinPress: where it grows, the estimate diverges.", what)};
  chart.series = budget_of;
  chart.x = {Scale::counting, "step"};
  chart.y = {Scale::logarithmic};
  chart.at = [](const std::optional<double>& step) { return fmt::format("step {}", *step); };
  chart.samples = [key](const SweepRow& row) {
    std::vector<Chart::Sample> samples;
    for (const double value : traced(row, key)) samples.push_back({static_cast<double>(samples.size() + 1), value});
    return samples;
  };
  Figures result;
  const SweepRows stepping = rows_where(
      rows, [&](const SweepRow& row) { return estimator_of(row) == "coinpress" && !traced(row, key).empty(); });
  for (const PlaceRows& group : by_place(at_main_size(stepping), Ratios::together)) {
    chart.panel = ratio_of;
    if (count_distinct(group.rows, method_of) > 1)
      chart.panel = [](const SweepRow& row) { return fmt::format("{}, {}", row.method, ratio_words(row.ratio)); };
    append(result, figures_of(chart, by_budget(group.rows), words_of(group.place)));
  }
  return result;
}

// ---- The kinds

Figures draw_budget(const FigureSource& source) {
  return for_every_place(source.rows,
                         {"budget", "Balanced accuracy",
                          "Balanced accuracy on the test set against the privacy budget ρ, for every imbalance "
                          "ratio (the largest class to the smallest).",
                          source.methods},
                         always);
}

Figures draw_minority(const FigureSource& source) {
  Chart chart{"minority", "Minority accuracy",
              "Accuracy on the quarter of the classes with the fewest training records, against ρ.", source.methods};
  chart.samples = [](const SweepRow& row) { return std::vector<Chart::Sample>{{row.rho, row.minority}}; };
  return for_every_place(source.rows, chart, always);
}

Figures draw_encoders(const FigureSource& source) {
  Chart chart{"encoders", "Encoders: balanced accuracy",
              "Balanced accuracy against ρ with embeddings of different encoders.", source.methods};
  chart.panel = encoder_of;
  Figures result;
  const auto same = [](const SweepRow& row) { return std::tuple(row.data, row.ratio, row.method, row.pool); };
  const SweepRows rows = where_differs(at_main_size(source.rows), same, encoder_of);
  for (const SweepRows& all : apart(rows, [](const SweepRow& row) { return std::pair(row.data, row.ratio); })) {
    std::vector<std::string> pools = distinct(all, [](const SweepRow& row) { return row.pool; });
    if (pools.size() > 1) std::erase(pools, "");  // methods without one stand beside each
    for (const std::string& pool : pools) {
      const SweepRow& first = *all.front();
      append(
          result,
          figures_of(chart, rows_where(all, [&](const SweepRow& row) { return row.pool == pool || row.pool.empty(); }),
                     fmt::format("{}, {}{}", first.data, pool.empty() ? "" : fmt::format("pool {}, ", pool),
                                 ratio_words(first.ratio))));
    }
  }
  return result;
}

Figures draw_pool_size(const FigureSource& source) {
  Figures result;
  const auto same = [](const SweepRow& row) {
    return std::tuple(row.data, row.encoder, row.pool, row.ratio, row.method, row.rho);
  };
  const auto place = [](const SweepRow& row) { return std::tuple(row.data, row.encoder, row.pool); };
  const SweepRows rows = by_ratio(where_differs(source.rows, same, [](const SweepRow& row) { return row.pool_rows; }));
  for (const SweepRows& pool : apart(rows, place)) {
    Chart chart{"pool-size", fmt::format("Rows of the pool {}: balanced accuracy", pool.front()->pool),
                "Balanced accuracy against the number of public rows to choose from.", source.methods};
    chart.x.title = "rows of the pool";
    chart.at = [](const std::optional<double>& size) { return fmt::format("{} rows", *size); };
    chart.samples = [](const SweepRow& row) {
      return std::vector<Chart::Sample>{{static_cast<double>(row.pool_rows), row.balanced}};
    };
    // With several budgets these are the lines, and every ratio has a figure with one panel a method.
    const bool one_budget = count_distinct(pool, budget_of) == 1;
    if (!one_budget) {
      chart.panel = method_of;
      chart.series = budget_of;
      chart.looks.clear();
    }
    for (const SweepRows& own :
         apart(pool, [&](const SweepRow& row) { return one_budget ? std::nullopt : row.ratio; })) {
      const SweepRow& first = *own.front();
      append(result, figures_of(chart, by_budget(own),
                                fmt::format("{}, {}", data_of(first),
                                            one_budget ? budget_of(first) : ratio_words(first.ratio))));
    }
  }
  return result;
}

Figures draw_pool_choice(const FigureSource& source) {
  const auto same = [](const SweepRow& row) { return std::tuple(row.data, row.encoder, row.ratio, row.method); };
  const SweepRows pooled = rows_where(at_main_size(source.rows), [](const SweepRow& row) { return !row.pool.empty(); });
  const SweepRows rows = by_ratio(where_differs(pooled, same, pool_of));
  Chart chart{"pool-choice", "Choice of the pool: balanced accuracy",
              "Balanced accuracy against ρ with different public pools.", distinct(rows, pool_of)};
  chart.panel = method_of;
  chart.series = pool_of;
  Figures result;
  const auto place = [](const SweepRow& row) { return std::tuple(row.data, row.encoder, row.ratio); };
  for (const SweepRows& own : apart(rows, place)) {
    const SweepRow& first = *own.front();
    append(result, figures_of(chart, own, fmt::format("{}, {}", data_of(first), ratio_words(first.ratio))));
  }
  return result;
}

Figures draw_top_k(const FigureSource& source) {
  const SweepRows rows = by_k(rows_where(source.rows, [](const SweepRow& row) {
    return selects(row) && k_of(row) && (mechanism_of(row).empty() || mechanism_of(row) == "exponential");
  }));
  Chart chart{"top-k", "Top-K: balanced accuracy",
              "Balanced accuracy against ρ with K public prototypes for every class."};
  chart.series = k_words;
  Figures result = for_every_place(rows, chart, several(k_of));
  for (const PlaceRows& group : by_place(at_main_size(rows), Ratios::together)) {
    if (count_distinct(group.rows, k_of) > 1) result.push_back(best_k_table(group));
  }
  return result;
}

Figures draw_coinpress(const FigureSource& source) {
  const SweepRows rows = rows_where(source.rows, [](const SweepRow& row) {
    return estimator_of(row) == "coinpress" || estimator_of(row) == "naive";
  });
  Figures result =
      for_every_place(rows,
                      {"coinpress", "CoinPress and naive means: balanced accuracy",
                       "CoinPress against the naive estimate of class means, balanced accuracy.", source.methods},
                      several(estimator_of));
  append(result, draw_steps(rows, "radius", "radius"));
  append(result, draw_steps(rows, "error", "error of the estimate"));
  return result;
}

Figures draw_mechanisms(const FigureSource& source) {
  const SweepRows rows = rows_where(source.rows, [](const SweepRow& row) {
    return selects(row) && !mechanism_of(row).empty() && k_of(row).value_or(1) == 1;
  });
  Chart chart{"mechanisms", "Mechanisms of selection: balanced accuracy",
              "Balanced accuracy against ρ with different mechanisms of selection."};
  chart.series = [](const SweepRow& row) {
    return row.method == mechanism_of(row) ? row.method : fmt::format("{} ({})", mechanism_of(row), row.method);
  };
  chart.looks = distinct(rows, chart.series);
  return for_every_place(rows, chart, several(mechanism_of));
}

Figures draw_projection(const FigureSource& source) {
  Chart chart{"projection", "With and without projection: balanced accuracy",
              "Balanced accuracy against ρ with a projection of the embeddings and without one.", source.methods};
  chart.panel = [](const SweepRow& row) { return fmt::format("{}, {}", family_of(row), ratio_words(row.ratio)); };
  return for_every_place(where_differs(source.rows, family_of, is_projected), chart, several(is_projected));
}

}  // namespace

const std::array<FigureKind, 9> kComparisons = {
    {{"budget", "runs with a budget ρ that did not fail", draw_budget},
     {"minority", "runs with a budget ρ that did not fail", draw_minority},
     {"encoders", "runs of a method on the same data with two encoders or more", draw_encoders},
     {"pool-size", "runs of a method with two sizes of a pool or more", draw_pool_size},
     {"pool-choice", "runs of a method with two pools or more", draw_pool_choice},
     {"top-k", "runs of public or public-k with two values of k or more", draw_top_k},
     {"coinpress", "runs with the estimators coinpress and naive, or with a trace of the radius", draw_coinpress},
     {"mechanisms", "runs of public with two mechanisms or more", draw_mechanisms},
     {"projection", "runs of a method with a projection and without one", draw_projection}}};

}  // namespace dppl
