#include "ledger/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "dppl/error.h"

namespace dppl {
namespace {

void check_place(const std::filesystem::path& path, Database::Mode mode) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (kind == std::filesystem::file_type::not_found) {
    if (mode == Database::Mode::create) return;
    throw IoError(fmt::format("ledger {}: no such file; create it with 'dppl ledger init'", path.string()));
  }
  if (kind == std::filesystem::file_type::directory) {
    throw IoError(fmt::format("ledger {}: is a directory; name a file", path.string()));
  }
  if (kind != std::filesystem::file_type::regular) {
    throw IoError(fmt::format("ledger {}: {}", path.string(), error ? error.message() : "is not a regular file"));
  }
}

}  // namespace

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close(handle); }

Database::Database(const std::filesystem::path& path, Mode mode, std::chrono::milliseconds patience)
    : name_(path.string()), patience_(patience) {
  if (name_.empty()) throw InvalidInput("ledger: the file name is empty; name a file");
  check_place(path, mode);
  sqlite3* handle = nullptr;
  // SQLite opens a write-protected file for reading by itself. The absolute path keeps it from reading a name such as
  // ":memory:" as something else than a file.
  const int flags = SQLITE_OPEN_READWRITE | (mode == Mode::create ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(std::filesystem::absolute(path).c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(code);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, static_cast<int>(patience.count()));
  // The file may come from anybody: its schema is data, not program.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  execute("PRAGMA cell_size_check = ON");
}

void Database::fail(int code) const {
  const std::string problem = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  switch (code & 0xff) {
    case SQLITE_BUSY:
      throw IoError(fmt::format("ledger {}: another process has held it for {} ms; try again when it is done", name_,
                                patience_.count()));
    case SQLITE_NOTADB:
      throw IoError(fmt::format("ledger {}: is not a dppl ledger; create one with 'dppl ledger init'", name_));
    case SQLITE_CORRUPT:
      throw IoError(fmt::format("ledger {}: is damaged ({}); restore it from a copy", name_, problem));
    case SQLITE_READONLY:
    case SQLITE_PERM:
      throw IoError(fmt::format("ledger {}: cannot be written ({}); check its permissions", name_, problem));
    case SQLITE_CANTOPEN:
      throw IoError(
          fmt::format("ledger {}: cannot be opened; check that its directory exists and its permissions", name_));
    default:
      throw IoError(fmt::format("ledger {}: {}", name_, problem));
  }
}

void Database::execute(const char* sql) {
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

Statement Database::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(handle_.get(), sql, -1, &statement, nullptr);
  if (code != SQLITE_OK) fail(code);
  return Statement(*this, statement);
}

int64_t Database::integer(const char* sql) {
  Statement statement = prepare(sql);
  statement.step();
  return statement.integer(0);
}

void Statement::Finalize::operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }

void Statement::bind(int parameter, std::string_view text) {
  const int code =
      sqlite3_bind_text(handle_.get(), parameter + 1, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  if (code != SQLITE_OK) database_.fail(code);
}

void Statement::bind(int parameter, int64_t value) {
  const int code = sqlite3_bind_int64(handle_.get(), parameter + 1, value);
  if (code != SQLITE_OK) database_.fail(code);
}

bool Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) database_.fail(code);
  return code == SQLITE_ROW;
}

void Statement::check_type(int column, int type) const {
  if (sqlite3_column_type(handle_.get(), column) == type) return;
  throw InvalidInput(
      fmt::format("column {} holds a value of the wrong type", sqlite3_column_name(handle_.get(), column)));
}

std::string Statement::text(int column) const {
  check_type(column, SQLITE_TEXT);
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  return {bytes, static_cast<size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

int64_t Statement::integer(int column) const {
  check_type(column, SQLITE_INTEGER);
  return sqlite3_column_int64(handle_.get(), column);
}

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
  if (kind == Kind::read) {
    database.execute("BEGIN");
    return;
  }
  // EXTRA: the journal's removal, which is what commits, is itself on the disk before the commit returns.
  database.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA; BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const IoError&) {
    // The failure that brought us here may have rolled back already; closing the file rolls back in any case.
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace dppl
