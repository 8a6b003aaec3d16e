#pragma once

#include <toml++/toml.h>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dppl/sweep.h"

namespace dppl {

// A table of a plan's file, read key by key. Whatever is wrong with a value is said in one line that begins with the
// file and the line.
class PlanTable {
 public:
  // `where` names the table in messages, e.g. "method 'auto' "; empty for the file itself.
  PlanTable(const toml::table& table, std::string file, std::string where)
      : table_(&table), file_(std::move(file)), where_(std::move(where)) {}

  [[noreturn]] void fail(std::string_view key, std::string_view what) const;
  size_t line(std::string_view key = {}) const;
  void call(std::string where) { where_ = std::move(where); }

  bool has(std::string_view key) const;
  std::string text(std::string_view key) const;  // not empty
  std::string text_or(std::string_view key, std::string other) const;
  double number(std::string_view key) const;
  bool truth_or(std::string_view key, bool other) const;
  // One value or a list of them, never none.
  std::vector<std::string> texts(std::string_view key) const;
  std::vector<double> numbers(std::string_view key) const;
  std::vector<uint64_t> whole_numbers(std::string_view key, uint64_t least, uint64_t most) const;
  std::vector<SweepSetting> settings(std::string_view key) const;
  bool is_list(std::string_view key) const;

  std::optional<PlanTable> table(std::string_view key) const;
  std::vector<PlanTable> tables(std::string_view key) const;  // [[key]]
  std::vector<std::string> keys() const;                      // in the file's order

  // Throws for a key that nobody has asked for.
  void refuse_others() const;

 private:
  const toml::node* find(std::string_view key) const;
  const toml::node& need(std::string_view key) const;
  template <typename T>
  std::vector<T> list(std::string_view key, std::string_view what) const;

  const toml::table* table_;
  std::string file_, where_;
  mutable std::set<std::string, std::less<>> asked_;
};

}  // namespace dppl
