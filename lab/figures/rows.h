#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/sweep/result_tables.h"

// What figures ask of rows, and how they group them.
namespace dppl {

// ---- Words

std::string method_of(const SweepRow& row);
std::string encoder_of(const SweepRow& row);
std::string data_of(const SweepRow& row);    // with its encoder
std::string ratio_of(const SweepRow& row);   // "Imbalance ratio 10", "As it comes"
std::string budget_of(const SweepRow& row);  // "ρ = 0.1"
std::string pool_of(const SweepRow& row);    // with its size

// ---- From settings and traces, as far as there are such

std::string setting(const SweepRow& row, const char* key);  // "" where it is no word
std::optional<uint64_t> k_of(const SweepRow& row);
std::vector<double> traced(const SweepRow& row, const char* key);

// ---- Groups

template <typename Key>
size_t count_distinct(const SweepRows& rows, Key&& key) {
  return distinct(rows, key).size();
}

// In order of appearance.
template <typename Key>
std::vector<SweepRows> apart(const SweepRows& rows, Key&& key) {
  std::vector<SweepRows> result;
  std::map<std::decay_t<decltype(key(*rows.front()))>, size_t> places;
  for (const SweepRow* row : rows) {
    const auto [place, is_new] = places.emplace(key(*row), result.size());
    if (is_new) result.emplace_back();
    result[place->second].push_back(row);
  }
  return result;
}

// Of the groups by `key` those in which `what` differs, one after another.
template <typename Key, typename What>
SweepRows where_differs(const SweepRows& rows, Key&& key, What&& what) {
  SweepRows result;
  for (const SweepRows& own : apart(rows, key)) {
    if (count_distinct(own, what) > 1) result.insert(result.end(), own.begin(), own.end());
  }
  return result;
}

// Every pool at the size at which most methods were run; of equal ones the largest. Other sizes are for "pool-size".
SweepRows at_main_size(const SweepRows& rows);

// Orders that keep the plan's among equals.
SweepRows by_ratio(SweepRows rows);
SweepRows by_budget(SweepRows rows);  // no privacy last
SweepRows by_k(SweepRows rows);

}  // namespace dppl
