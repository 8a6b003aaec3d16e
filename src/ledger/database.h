#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace dppl {

class Statement;

// A SQLite file open in this process. Every failure is an IoError that names the file and says what to do. A connection
// must not cross fork(): open one where it is used.
class Database {
 public:
  enum class Mode { existing, create };
  // `patience`: how long to wait for another process that holds the file.
  Database(const std::filesystem::path& path, Mode mode, std::chrono::milliseconds patience);

  void execute(const char* sql);
  Statement prepare(const char* sql);
  // The first column of the only row.
  int64_t integer(const char* sql);

  [[noreturn]] void fail(int code) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::string name_;
  std::chrono::milliseconds patience_;
  std::unique_ptr<sqlite3, Close> handle_;
};

class Statement {
 public:
  // Parameters and columns count from 0.
  void bind(int parameter, std::string_view text);
  void bind(int parameter, int64_t value);
  // True when there is a row to read.
  bool step();
  // Throw InvalidInput when the column holds a value of another type.
  std::string text(int column) const;
  int64_t integer(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const;
  };
  Statement(const Database& database, sqlite3_stmt* handle) : database_(database), handle_(handle) {}
  void check_type(int column, int type) const;

  const Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

// Rolls back unless committed.
class Transaction {
 public:
  enum class Kind { read, write };
  Transaction(Database& database, Kind kind);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace dppl
