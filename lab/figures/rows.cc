#include "lab/figures/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

namespace dppl {
namespace {

nlohmann::json parsed(const std::string& text) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  return json.is_object() ? json : nlohmann::json::object();
}

// As asked, otherwise as used; null where there is none.
nlohmann::json found(const SweepRow& row, const char* key) {
  const nlohmann::json settings = parsed(row.settings);
  if (settings.contains(key)) return settings[key];
  const bool has_used = settings.contains("used") && settings["used"].is_object();
  return has_used && settings["used"].contains(key) ? settings["used"][key] : nlohmann::json();
}

template <typename Less>
SweepRows sorted(SweepRows rows, Less&& less) {
  std::stable_sort(rows.begin(), rows.end(), [&](const SweepRow* a, const SweepRow* b) { return less(*a, *b); });
  return rows;
}

}  // namespace

std::string method_of(const SweepRow& row) { return row.method; }
std::string encoder_of(const SweepRow& row) { return row.encoder; }
std::string data_of(const SweepRow& row) { return words_of({row.data, row.encoder, "", 0, {}}); }
std::string ratio_of(const SweepRow& row) {
  std::string words = ratio_words(row.ratio);
  words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
  return words;
}
std::string budget_of(const SweepRow& row) { return budget_words(row.rho); }
std::string pool_of(const SweepRow& row) { return fmt::format("{} ({} rows)", row.pool, row.pool_rows); }

std::string setting(const SweepRow& row, const char* key) {
  const nlohmann::json value = found(row, key);
  return value.is_string() ? value.get<std::string>() : "";
}

std::optional<uint64_t> k_of(const SweepRow& row) {
  if (row.kind == "public") return 1;
  const nlohmann::json value = found(row, "k");
  return value.is_number_unsigned() ? std::optional(value.get<uint64_t>()) : std::nullopt;
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
