#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "ledger/ledger_entry.h"

struct sqlite3;

namespace dppl {

// The file with the triggers of dppl out of the way, as somebody with the sqlite3 program has it. The destructor puts
// them back, so that what verify finds, it finds in the rows.
class RawLedger {
 public:
  enum class Guards { lift, lift_for_good, keep };
  explicit RawLedger(const std::filesystem::path& path, Guards guards = Guards::lift);
  ~RawLedger();
  RawLedger(const RawLedger&) = delete;
  RawLedger& operator=(const RawLedger&) = delete;

  void execute(const std::string& sql);
  std::vector<std::string> column(const std::string& sql);

 private:
  sqlite3* handle_ = nullptr;
  std::vector<std::string> triggers_;
};

// Changes rows and then makes every digest right again, as somebody who knows the format can.
void forge(const std::filesystem::path& path, const std::function<void(uint64_t, EntryFields&)>& edit);
std::string& field(EntryFields& fields, std::string_view column);

// Six rows: two data sets ("flowers", ε = 1; "scans", (1, 1e-5)) and three reservations, one of them recorded.
void make_sample_ledger(const std::filesystem::path& path);

}  // namespace dppl
