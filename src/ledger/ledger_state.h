#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dppl/ledger.h"
#include "ledger/privacy_filter.h"

namespace dppl {

// A ledger in memory: the entries accepted so far and what each data set has left. What may be written and what verify
// accepts are the same rules, because both come through here.
class LedgerState {
 public:
  // Throws InvalidInput or BudgetExceeded when the entry cannot come next; the ledger is as before then.
  void append(Ledger::Entry entry);

  const std::vector<Ledger::Entry>& entries() const { return entries_; }
  std::string head() const;
  // Throw InvalidInput when there is none.
  Ledger::Status status(std::string_view dataset) const;
  const PrivacyFilter& filter(std::string_view dataset) const;
  const Ledger::Entry& reservation(uint64_t sequence) const;

  std::vector<Ledger::Status> datasets() const;

 private:
  struct Dataset {
    std::string name;
    PrivacyFilter filter;
    Ledger::Status status() const { return {name, filter.total(), filter.balance()}; }
  };
  size_t index(std::string_view name) const;  // one past the last when there is none
  size_t known(std::string_view name) const;
  void open(const Ledger::Entry& entry);
  void reserve(const Ledger::Entry& entry);
  void record(const Ledger::Entry& entry);

  std::vector<Dataset> datasets_;
  std::vector<Ledger::Entry> entries_;
  std::set<uint64_t> recorded_;
};

// Names and purposes are shown to people and may come from anywhere: valid UTF-8 without control characters, 1 to 200
// bytes. Throws InvalidInput; `what` names the text.
void check_label(std::string_view text, std::string_view what);

}  // namespace dppl
