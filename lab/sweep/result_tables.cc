#include "lab/sweep/result_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace dppl {
namespace {

double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

std::optional<Statistics> statistics_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  Statistics result{.count = values.size(), .error = {}};
  for (const double value : values) result.mean += value / n;
  if (values.size() > 1) {
    double squares = 0;
    for (const double value : values) squares += (value - result.mean) * (value - result.mean);
    result.error = std::sqrt(squares / (n - 1) / n);
  }
  result.least = values.front();
  result.low = quantile(values, 0.25);
  result.median = quantile(values, 0.5);
  result.high = quantile(values, 0.75);
  result.most = values.back();
  return result;
}

std::optional<Statistics> statistics_of(const SweepRows& rows, double SweepRow::*value) {
  std::vector<double> values;
  for (const SweepRow* row : rows) {
    if (row->status == "ok") values.push_back(row->*value);
  }
  return statistics_of(std::move(values));
}

SweepRows all_rows(const std::vector<SweepRow>& rows) {
  SweepRows result;
  for (const SweepRow& row : rows) result.push_back(&row);
  return result;
}

std::string words_of(const Place& place) {
  const std::string result = place.encoder.empty() ? place.data : fmt::format("{}, {}", place.data, place.encoder);
  return place.pool.empty() ? result : fmt::format("{}, pool {} of {} rows", result, place.pool, place.pool_rows);
}

std::string describe(const Place& place) { return fmt::format("{}, {}", words_of(place), ratio_words(place.ratio)); }

std::vector<PlaceRows> by_place(const SweepRows& rows, Ratios ratios) {
  const auto place_of = [&](const SweepRow& row) {
    return Place{row.data, row.encoder, row.pool, row.pool_rows, ratios == Ratios::apart ? row.ratio : std::nullopt};
  };
  const auto data_of = [](const SweepRow& row) { return std::tuple(row.data, row.encoder, row.ratio); };
  const auto contains = [](const auto& list, const auto& value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  const auto pooled = distinct(rows_where(rows, [](const SweepRow& row) { return !row.pool.empty(); }), data_of);
  std::vector<PlaceRows> result;
  for (const Place& place : distinct(rows, place_of)) {
    const auto data = distinct(rows_where(rows, [&](const SweepRow& row) { return place_of(row) == place; }), data_of);
    SweepRows own = rows_where(rows, [&](const SweepRow& row) {
      if (row.pool.empty())
        return contains(data, data_of(row)) && contains(pooled, data_of(row)) == !place.pool.empty();
      return place_of(row) == place;
    });
    if (!own.empty()) result.push_back({place, std::move(own)});
  }
  return result;
}

std::vector<std::optional<double>> budgets(const SweepRows& rows) {
  auto result = distinct(rows, [](const SweepRow& row) { return row.rho; });
  std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a && (!b || *a < *b); });
  return result;
}

bool any_tuned_on_test(const SweepRows& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const SweepRow* row) { return row->tuned_on_test; });
}

std::vector<ResultTable> result_tables(const SweepRows& rows) {
  std::vector<ResultTable> result;
  for (const PlaceRows& group : by_place(rows)) {
    for (const Measure& measure : {kBalanced, kMinority}) {
      ResultTable table{group.place, measure, budgets(group.rows), {}};
      for (const std::string& method : distinct(group.rows, [](const SweepRow& row) { return row.method; })) {
        const SweepRows own = rows_where(group.rows, [&](const SweepRow& row) { return row.method == method; });
        ResultTable::Line line{method, any_tuned_on_test(own), {}};
        for (const std::optional<double>& rho : table.budgets) {
          const SweepRows cell = rows_where(own, [&](const SweepRow& row) { return row.rho == rho; });
          const auto statistics = statistics_of(cell, measure.value);
          line.cells.push_back({statistics, cell.size() - (statistics ? statistics->count : 0)});
        }
        table.lines.push_back(std::move(line));
      }
      result.push_back(std::move(table));
    }
  }
  return result;
}

std::string text_of(const ResultTable::Cell& cell) {
  if (!cell.statistics) return cell.failed > 0 ? "failed" : "–";
  const Statistics& all = *cell.statistics;
  if (!all.error) return fmt::format("{:.1f}", 100 * all.mean);
  return fmt::format("{:.1f} ± {:.1f}", 100 * all.mean, 100 * *all.error);
}

std::string ratio_words(const std::optional<double>& ratio) {
  return ratio ? fmt::format("imbalance ratio {}", *ratio) : "as it comes";
}

std::string budget_words(const std::optional<double>& rho) { return rho ? fmt::format("ρ = {}", *rho) : "no privacy"; }

}  // namespace dppl
