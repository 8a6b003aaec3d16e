#include "report/sweep/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace dppl {
namespace {

nlohmann::json parsed(const std::string& text) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  return json.is_object() ? json : nlohmann::json::object();
}

template <typename Less>
SweepRows sorted(SweepRows rows, Less&& less) {
  std::stable_sort(rows.begin(), rows.end(), [&](const SweepRow* a, const SweepRow* b) { return less(*a, *b); });
  return rows;
}

}  // namespace

std::string method_of(const SweepRow& row) { return row.method; }
std::string encoder_of(const SweepRow& row) { return row.encoder; }
std::string ratio_of(const SweepRow& row) { return fmt::format("Imbalance ratio {}", row.ratio); }
std::string budget_of(const SweepRow& row) { return budget_words(row.rho); }
std::string pool_of(const SweepRow& row) { return fmt::format("{} ({} rows)", row.pool, row.pool_rows); }

std::string setting(const SweepRow& row, const char* key) {
  const nlohmann::json settings = parsed(row.settings);
  return settings.contains(key) && settings[key].is_string() ? settings[key].get<std::string>() : "";
}

std::optional<uint64_t> k_of(const SweepRow& row) {
  const nlohmann::json settings = parsed(row.settings);
  if (!settings.contains("k") || !settings["k"].is_number_unsigned()) return std::nullopt;
  return settings["k"].get<uint64_t>();
}

std::vector<double> traced(const SweepRow& row, const char* key) {
  const nlohmann::json trace = parsed(row.trace);
  std::vector<double> result;
  if (!trace.contains(key) || !trace[key].is_array()) return result;
  for (const auto& value : trace[key]) result.push_back(value.is_number() ? value.get<double>() : 0);
  return result;
}

SweepRows at_main_size(const SweepRows& rows) {
  SweepRows result;
  const auto pool = [](const SweepRow& row) { return std::tuple(row.data, row.encoder, row.pool); };
  for (const SweepRows& own : apart(rows, pool)) {
    std::pair<size_t, uint64_t> best;
    for (const SweepRows& size : apart(own, [](const SweepRow& row) { return row.pool_rows; }))
      best = std::max(best, {count_distinct(size, method_of), size.front()->pool_rows});
    const SweepRows main = rows_where(own, [&](const SweepRow& row) { return row.pool_rows == best.second; });
    result.insert(result.end(), main.begin(), main.end());
  }
  return result;
}

SweepRows by_ratio(SweepRows rows) {
  return sorted(std::move(rows), [](const SweepRow& a, const SweepRow& b) { return a.ratio < b.ratio; });
}
SweepRows by_budget(SweepRows rows) {
  return sorted(std::move(rows),
                [](const SweepRow& a, const SweepRow& b) { return a.rho && (!b.rho || *a.rho < *b.rho); });
}
SweepRows by_k(SweepRows rows) {
  return sorted(std::move(rows), [](const SweepRow& a, const SweepRow& b) { return k_of(a) < k_of(b); });
}

}  // namespace dppl
