#include "lab/sweep/plan_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "dppl/error.h"
#include "lab/constants.h"

namespace dppl {
namespace {

std::optional<SweepSetting> setting_of(const toml::node& node) {
  if (const auto* flag = node.as_boolean()) return flag->get();
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_floating_point(); number != nullptr && std::isfinite(number->get()))
    return number->get();
  if (const auto* number = node.as_integer();
      number != nullptr && std::abs(number->get()) <= static_cast<int64_t>(kLargestWholeNumber))
    return static_cast<double>(number->get());
  return std::nullopt;
}

size_t line_of(const toml::node& node) { return node.source().begin.line; }

}  // namespace

size_t PlanTable::line(std::string_view key) const {
  const toml::node* node = key.empty() ? nullptr : table_->get(key);
  return std::max<size_t>(line_of(node != nullptr ? *node : *table_), 1);
}

void PlanTable::fail(std::string_view key, std::string_view what) const {
  throw InvalidInput(fmt::format("{}:{}: {}{}: {}", file_, line(key), where_, key, what));
}

const toml::node* PlanTable::find(std::string_view key) const {
  asked_.emplace(key);
  return table_->get(key);
}

const toml::node& PlanTable::need(std::string_view key) const {
  const toml::node* node = find(key);
  if (node == nullptr) fail(key, "is missing");
  return *node;
}

bool PlanTable::has(std::string_view key) const { return find(key) != nullptr; }

bool PlanTable::is_list(std::string_view key) const { return need(key).is_array(); }

std::vector<SweepSetting> PlanTable::settings(std::string_view key) const {
  const toml::node& node = need(key);
  std::vector<SweepSetting> result;
  const auto add = [&](const toml::node& value) {
    auto one = setting_of(value);
    if (!one) fail(key, "must be a text, a finite number, true or false, or a list of them");
    result.push_back(*std::move(one));
  };
  if (const toml::array* values = node.as_array()) {
    for (const toml::node& value : *values) add(value);
  } else {
    add(node);
  }
  if (result.empty()) fail(key, "is an empty list; leave it out, or give a value");
  return result;
}

template <typename T>
std::vector<T> PlanTable::list(std::string_view key, std::string_view what) const {
  std::vector<T> result;
  for (SweepSetting& value : settings(key)) {
    T* one = std::get_if<T>(&value);
    if (one == nullptr) fail(key, fmt::format("must be {}, or a list of such", what));
    result.push_back(std::move(*one));
  }
  return result;
}

std::vector<std::string> PlanTable::texts(std::string_view key) const {
  std::vector<std::string> result = list<std::string>(key, "a text");
  for (const std::string& text : result) {
    if (text.empty()) fail(key, "is empty");
    if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
      fail(key, "has a control character");
  }
  return result;
}

std::vector<double> PlanTable::numbers(std::string_view key) const { return list<double>(key, "a number"); }

std::vector<uint64_t> PlanTable::whole_numbers(std::string_view key, uint64_t least, uint64_t most) const {
  std::vector<uint64_t> result;
  for (const double value : numbers(key)) {
    if (value != std::floor(value) || value < static_cast<double>(least) || value > static_cast<double>(most))
      fail(key, fmt::format("{} is not a whole number between {} and {}", value, least, most));
    result.push_back(static_cast<uint64_t>(value));
  }
  return result;
}

std::string PlanTable::text(std::string_view key) const {
  std::vector<std::string> all = texts(key);
  if (is_list(key)) fail(key, "must be one text, not a list");
  return std::move(all.front());
}

std::string PlanTable::text_or(std::string_view key, std::string other) const {
  return has(key) ? text(key) : std::move(other);
}

double PlanTable::number(std::string_view key) const {
  const std::vector<double> all = numbers(key);
  if (is_list(key)) fail(key, "must be one number, not a list");
  return all.front();
}

bool PlanTable::truth_or(std::string_view key, bool other) const {
  if (!has(key)) return other;
  const toml::value<bool>* value = need(key).as_boolean();
  if (value == nullptr) fail(key, "must be true or false");
  return value->get();
}

std::optional<PlanTable> PlanTable::table(std::string_view key) const {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_table()) fail(key, fmt::format("must be a table, [{}]", key));
  return PlanTable(*node->as_table(), file_, fmt::format("{}{} ", where_, key));
}

std::vector<PlanTable> PlanTable::tables(std::string_view key) const {
  const toml::node* node = find(key);
  std::vector<PlanTable> result;
  if (node == nullptr) return result;
  if (!node->is_array()) fail(key, fmt::format("must be a list of tables, [[{}]]", key));
  for (const toml::node& one : *node->as_array()) {
    if (!one.is_table()) fail(key, fmt::format("must be a list of tables, [[{}]]", key));
    result.emplace_back(*one.as_table(), file_, fmt::format("{} ", key));
  }
  return result;
}

std::vector<std::string> PlanTable::keys() const {
  std::vector<std::string> result;
  for (const auto& [key, value] : *table_) result.emplace_back(key.str());
  std::stable_sort(result.begin(), result.end(), [&](const std::string& a, const std::string& b) {
    return std::pair(line(a), table_->get(a)->source().begin.column) <
           std::pair(line(b), table_->get(b)->source().begin.column);
  });
  return result;
}

void PlanTable::refuse_others() const {
  for (const std::string& key : keys()) {
    if (!asked_.contains(key)) fail(key, fmt::format("is not known here; known are {}", fmt::join(asked_, ", ")));
  }
}

}  // namespace dppl
