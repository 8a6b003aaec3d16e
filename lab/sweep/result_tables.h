#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "dppl/sweep.h"

// The numbers that tables and figures of a sweep show.
namespace dppl {

using SweepRows = std::vector<const SweepRow*>;

struct Measure {
  std::string_view name;  // of the column
  std::string_view title;
  double SweepRow::*value;
};
inline constexpr Measure kBalanced{"balanced", "Balanced accuracy", &SweepRow::balanced};
inline constexpr Measure kMinority{"minority", "Minority accuracy", &SweepRow::minority};

// Over seeds. Quartiles are interpolated linearly between order statistics.
struct Statistics {
  size_t count = 0;
  double mean = 0;
  std::optional<double> error;  // standard error of the mean; empty for a single value
  double least = 0, low = 0, median = 0, high = 0, most = 0;
};
std::optional<Statistics> statistics_of(std::vector<double> values);  // empty for none

// Of the runs that did not fail.
std::optional<Statistics> statistics_of(const SweepRows& rows, double SweepRow::*value);

// The distinct values of `key` over rows, in order of appearance.
template <typename Key>
auto distinct(const SweepRows& rows, Key&& key) {
  std::vector<std::decay_t<decltype(key(*rows.front()))>> result;
  for (const SweepRow* row : rows) {
    auto value = key(*row);
    if (std::find(result.begin(), result.end(), value) == result.end()) result.push_back(std::move(value));
  }
  return result;
}

template <typename Condition>
SweepRows rows_where(const SweepRows& rows, Condition&& condition) {
  SweepRows result;
  for (const SweepRow* row : rows) {
    if (condition(*row)) result.push_back(row);
  }
  return result;
}

SweepRows all_rows(const std::vector<SweepRow>& rows);

// Where methods are compared: everything but method, budget and seed.
struct Place {
  std::string data, encoder, pool;
  uint64_t pool_rows = 0;
  std::optional<double> ratio = {};

  bool operator==(const Place&) const = default;
};
std::string words_of(const Place& place);  // without the ratio
std::string describe(const Place& place);

// The rows of every place, in order of appearance. Methods without a pool stand beside each pool.
struct PlaceRows {
  Place place;
  SweepRows rows;
};
enum class Ratios { apart, together };  // together: the places' ratio says nothing
std::vector<PlaceRows> by_place(const SweepRows& rows, Ratios ratios = Ratios::apart);

std::vector<std::optional<double>> budgets(const SweepRows& rows);  // ascending, no privacy last
bool any_tuned_on_test(const SweepRows& rows);

struct ResultTable {
  struct Cell {
    std::optional<Statistics> statistics;
    size_t failed = 0;
  };
  struct Line {
    std::string method;
    bool tuned_on_test = false;
    std::vector<Cell> cells;  // one per budget
  };
  Place place;
  Measure measure;
  std::vector<std::optional<double>> budgets;
  std::vector<Line> lines;
};
std::vector<ResultTable> result_tables(const SweepRows& rows);

std::string text_of(const ResultTable::Cell& cell);           // "61.2 ± 0.3", "failed", "–"
std::string ratio_words(const std::optional<double>& ratio);  // "imbalance ratio 10", "as it comes"
std::string budget_words(const std::optional<double>& rho);   // "ρ = 0.01", "no privacy"
inline constexpr std::string_view kTunedWords = "upper bound, tuned on test";

}  // namespace dppl
