#include "support/raw_ledger.h"

#include <sqlite3.h>

#include <algorithm>
#include <stdexcept>

namespace dppl {

RawLedger::RawLedger(const std::filesystem::path& path, Guards guards) {
  if (sqlite3_open(path.c_str(), &handle_) != SQLITE_OK) throw std::runtime_error(sqlite3_errmsg(handle_));
  execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY");
  if (guards == Guards::keep) return;
  if (guards == Guards::lift) triggers_ = column("SELECT sql FROM sqlite_schema WHERE type = 'trigger'");
  for (const std::string& name : column("SELECT name FROM sqlite_schema WHERE type = 'trigger'")) {
    execute("DROP TRIGGER " + name);
  }
}

RawLedger::~RawLedger() {
  for (const std::string& trigger : triggers_) execute(trigger);
  sqlite3_close(handle_);
}

void RawLedger::execute(const std::string& sql) { column(sql); }

std::vector<std::string> RawLedger::column(const std::string& sql) {
  std::vector<std::string> values;
  const auto keep = [](void* to, int, char** row, char**) {
    static_cast<std::vector<std::string>*>(to)->push_back(row[0]);
    return 0;
  };
  if (sqlite3_exec(handle_, sql.c_str(), keep, &values, nullptr) != SQLITE_OK) {
    throw std::runtime_error(sql + ": " + sqlite3_errmsg(handle_));
  }
  return values;
}

void forge(const std::filesystem::path& path, const std::function<void(uint64_t, EntryFields&)>& edit) {
  RawLedger raw(path);
  std::string previous = first_previous();
  const uint64_t rows = raw.column("SELECT sequence FROM entry").size();
  for (uint64_t sequence = 1; sequence <= rows; ++sequence) {
    const std::string where = " WHERE sequence = " + std::to_string(sequence);
    EntryFields fields;
    for (size_t i = 0; i < fields.size(); ++i) {
      fields[i] = raw.column("SELECT " + std::string(kEntryColumns[i]) + " FROM entry" + where).at(0);
    }
    edit(sequence, fields);
    fields.back() = previous;
    previous = entry_digest(sequence, fields);
    std::string changes = "digest = '" + previous + "'";
    for (size_t i = 0; i < fields.size(); ++i)
      changes += ", " + std::string(kEntryColumns[i]) + " = '" + fields[i] + "'";
    raw.execute("UPDATE entry SET " + changes + where);
  }
  raw.execute("UPDATE head SET digest = '" + previous + "'");
}

std::string& field(EntryFields& fields, std::string_view column) {
  return fields.at(static_cast<size_t>(std::ranges::find(kEntryColumns, column) - kEntryColumns.begin()));
}

void make_sample_ledger(const std::filesystem::path& path) {
  const auto tenth = BudgetSpec::pure(Rational(1, 10));
  Ledger::create_dataset(path, "flowers", BudgetSpec::pure(1));
  Ledger ledger(path);
  const Reservation first = ledger.reserve("flowers", tenth, "fit public");
  ledger.record(first, tenth.as_guarantee(), "00ff");
  Ledger::create_dataset(path, "scans", BudgetSpec::approximate(1, Rational(1, 100000)));
  ledger.reserve("scans", BudgetSpec::zcdp(Rational(1, 1000)), "fit mean");
  ledger.reserve("flowers", BudgetSpec::pure(Rational(1, 5)), "fit public-k");
}

}  // namespace dppl
