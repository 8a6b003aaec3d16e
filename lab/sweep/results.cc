#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/csv_fields.h"
#include "base/utf8.h"
#include "dppl/error.h"
#include "dppl/sweep.h"
#include "lab/sweep/result_tables.h"

namespace dppl {
namespace {

// ---- Fields: written so that they are read back as they were; a reader that cannot use a field says why.

using Fault = std::optional<std::string>;

std::string field(const std::string& value) { return csv_field(value); }
std::string field(uint64_t value) { return std::to_string(value); }
std::string field(double value) { return fmt::format("{}", value); }
std::string field(bool value) { return value ? "true" : "false"; }
std::string field(const std::optional<double>& value) { return value ? field(*value) : ""; }

Fault read(std::string text, std::string& value) {
  value = std::move(text);
  return std::nullopt;
}

template <typename Number>
bool read_whole(const std::string& text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

Fault read(const std::string& text, uint64_t& value) {
  if (read_whole(text, value)) return std::nullopt;
  return "is not a whole number below 2^64";
}

Fault read(const std::string& text, double& value) {
  if (read_whole(text, value) && std::isfinite(value) && value >= 0) return std::nullopt;
  return "is not a number of at least 0";
}

Fault read(const std::string& text, bool& value) {
  value = text == "true";
  if (value || text == "false") return std::nullopt;
  return "is not true or false";
}

Fault read(const std::string& text, std::optional<double>& value) {
  value.reset();
  if (text.empty()) return std::nullopt;
  return read(text, value.emplace());
}

// ---- Columns

struct Column {
  std::string_view name;
  std::string (*write)(const SweepRow& row);
  Fault (*read)(const std::string& text, SweepRow& row);
};

template <auto member>
constexpr Column column(std::string_view name) {
  return {name, [](const SweepRow& row) { return field(row.*member); },
          [](const std::string& text, SweepRow& row) { return read(text, row.*member); }};
}

// A failed run has no accuracy; 0 would be taken for one by whoever averages the column.
template <auto member>
constexpr Column accuracy_column(std::string_view name) {
  return {name, [](const SweepRow& row) { return row.status == "ok" ? field(row.*member) : ""; },
          [](const std::string& text, SweepRow& row) -> Fault {
            if (text.empty() && row.status != "ok") return std::nullopt;
            if (const Fault fault = read(text, row.*member)) return fault;
            return row.*member > 1 ? Fault("is above 1") : std::nullopt;
          }};
}

constexpr Column kColumns[] = {column<&SweepRow::data>("data"),
                               column<&SweepRow::encoder>("encoder"),
                               column<&SweepRow::pool>("pool"),
                               column<&SweepRow::pool_rows>("pool_rows"),
                               column<&SweepRow::method>("method"),
                               column<&SweepRow::kind>("kind"),
                               column<&SweepRow::transform>("transform"),
                               column<&SweepRow::settings>("settings"),
                               column<&SweepRow::rho>("rho"),
                               column<&SweepRow::ratio>("ratio"),
                               column<&SweepRow::seed>("seed"),
                               column<&SweepRow::tuned_on_test>("tuned_on_test"),
                               column<&SweepRow::status>("status"),
                               column<&SweepRow::error>("error"),
                               column<&SweepRow::train_rows>("train_rows"),
                               accuracy_column<&SweepRow::accuracy>("accuracy"),
                               accuracy_column<&SweepRow::balanced>("balanced"),
                               accuracy_column<&SweepRow::minority>("minority"),
                               column<&SweepRow::seconds>("seconds"),
                               column<&SweepRow::rho_spent>("rho_spent"),
                               column<&SweepRow::trace>("trace")};
constexpr size_t kColumnCount = std::size(kColumns);

std::string header() {
  std::string result;
  for (const Column& one : kColumns) result.append(result.empty() ? "" : ",").append(one.name);
  return result;
}

// ---- What no single field shows

bool is_trace(const nlohmann::json& json) {
  return json.is_object() && std::all_of(json.begin(), json.end(), [](const auto& list) {
           return list.is_array() &&
                  std::all_of(list.begin(), list.end(), [](const auto& value) { return value.is_number(); });
         });
}

Fault fault_of(const SweepRow& row) {
  if (row.status != "ok" && row.status != "failed") return "status: is neither ok nor failed";
  if (row.rho && *row.rho <= 0) return "rho: is not above 0; leave it empty where there is no privacy";
  if (row.ratio && *row.ratio < 1) return "ratio: is below 1; leave it empty where data were taken as they come";
  if (!row.settings.empty() && !nlohmann::json::parse(row.settings, nullptr, false).is_object())
    return "settings: is not a JSON object";
  if (!row.trace.empty() && !is_trace(nlohmann::json::parse(row.trace, nullptr, false)))
    return "trace: is not a JSON object of lists of numbers";
  return std::nullopt;
}

SweepRow row_of(const std::vector<std::string>& fields, const std::string& where) {
  if (fields.size() != kColumnCount) {
    throw InvalidInput(fmt::format("{}: has {} fields where the header has {}; is the line cut off?", where,
                                   fields.size(), kColumnCount));
  }
  SweepRow row;
  for (size_t i = 0; i < kColumnCount; ++i) {
    if (const Fault fault = kColumns[i].read(fields[i], row))
      throw InvalidInput(fmt::format("{}: {}: '{}' {}", where, kColumns[i].name, fields[i], *fault));
  }
  if (const Fault fault = fault_of(row)) throw InvalidInput(fmt::format("{}: {}", where, *fault));
  return row;
}

// ---- For the terminal

using TextTable = std::vector<std::vector<std::string>>;

std::string aligned(const TextTable& table) {
  std::vector<size_t> widths(table.front().size());
  for (const auto& line : table) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], count_characters(line[i]));
  }
  std::string result;
  for (const auto& line : table) {
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string space(widths[i] - count_characters(line[i]), ' ');
      result += i == 0 ? "  " + line[i] + space : "  " + space + line[i];
    }
    result.erase(result.find_last_not_of(' ') + 1);
    result += '\n';
  }
  return result;
}

std::string text_of(const ResultTable& table) {
  TextTable text{{"method"}};
  for (const auto& rho : table.budgets) text.front().push_back(budget_words(rho));
  for (const ResultTable::Line& line : table.lines) {
    text.push_back({line.method + (line.tuned_on_test ? " *" : "")});
    for (const ResultTable::Cell& cell : line.cells) text.back().push_back(text_of(cell));
  }
  return fmt::format("{}: {}, %\n{}\n", describe(table.place), table.measure.name, aligned(text));
}

}  // namespace

std::string results_csv(const std::vector<SweepRow>& rows) {
  std::string result = header() + '\n';
  for (const SweepRow& row : rows) {
    for (size_t i = 0; i < kColumnCount; ++i) result.append(i == 0 ? "" : ",").append(kColumns[i].write(row));
    result += '\n';
  }
  return result;
}

std::vector<SweepRow> parse_results(std::string_view text, const std::string& name) {
  size_t line = 1;
  const auto take = [&](const std::string& where) {
    const std::string_view before = text;
    std::vector<std::string> fields = take_csv_record(text, where);
    const std::string_view taken = before.substr(0, before.size() - text.size());
    line += static_cast<size_t>(std::count(taken.begin(), taken.end(), '\n'));
    return fields;
  };
  const auto is_column = [](const std::string& field, const Column& one) { return field == one.name; };
  const std::vector<std::string> names = take(fmt::format("{}: line 1", name));
  if (!std::equal(names.begin(), names.end(), std::begin(kColumns), std::end(kColumns), is_column))
    throw InvalidInput(fmt::format("{}: line 1: is not the header of results; it should be {}", name, header()));
  std::vector<SweepRow> rows;
  while (!text.empty()) {
    const std::string where = fmt::format("{}: line {}", name, line);
    rows.push_back(row_of(take(where), where));
  }
  return rows;
}

std::string describe_results(const std::vector<SweepRow>& rows) {
  const SweepRows all = all_rows(rows);
  std::string result;
  for (const ResultTable& table : result_tables(all)) result += text_of(table);
  const SweepRows failed = rows_where(all, [](const SweepRow& row) { return row.status != "ok"; });
  result += fmt::format("Mean ± standard error over seeds; {} runs.\n", rows.size());
  if (any_tuned_on_test(all)) result += "* tuned on the test set: an upper bound, not private.\n";
  if (!failed.empty()) {
    result +=
        fmt::format("{} of {} runs failed and are left out; the first, {} at {}: {}\n", failed.size(), rows.size(),
                    failed.front()->method, budget_words(failed.front()->rho), failed.front()->error);
  }
  return result;
}

}  // namespace dppl
