#include "ledger/ledger_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "dppl/error.h"
#include "ledger/constants.h"
#include "ledger/ledger_entry.h"

namespace dppl {
namespace {

void check_price(const Guarantee& price) {
  for (const auto& bound : {price.epsilon, price.bounded_range, price.rho, price.mu_squared}) {
    if (bound && *bound < 0) throw InvalidInput("the price of a release cannot be negative");
  }
  if (price.approximate && (price.approximate->epsilon < 0 || price.approximate->delta < 0)) {
    throw InvalidInput("the price of a release cannot be negative");
  }
}

}  // namespace

void check_label(std::string_view text, std::string_view what) {
  if (text.empty()) throw InvalidInput(fmt::format("{}: is empty; give 1 to {} bytes", what, kMaxLabelBytes));
  if (text.size() > kMaxLabelBytes) {
    throw InvalidInput(fmt::format("{}: has {} bytes; give at most {}", what, text.size(), kMaxLabelBytes));
  }
  // "scans" and "scans " would be two accounts of one data set.
  if (text.front() == ' ' || text.back() == ' ') {
    throw InvalidInput(fmt::format("{}: begins or ends with a blank; leave it out", what));
  }
  for (std::string_view rest = text; !rest.empty();) {
    const size_t at = text.size() - rest.size() + 1;
    const std::optional<uint32_t> character = take_character(rest);
    if (!character || is_control(*character)) {
      throw InvalidInput(fmt::format("{}: byte {} is a control character or not UTF-8; give printable text", what, at));
    }
  }
}

std::string LedgerState::head() const { return entries_.empty() ? first_previous() : entries_.back().digest; }

size_t LedgerState::index(std::string_view name) const {
  return static_cast<size_t>(std::ranges::find(datasets_, name, &Dataset::name) - datasets_.begin());
}

size_t LedgerState::known(std::string_view name) const {
  const size_t found = index(name);
  if (found < datasets_.size()) return found;
  throw InvalidInput(fmt::format("data set '{}': is not in the ledger; enter it with 'dppl ledger init'", name));
}

Ledger::Status LedgerState::status(std::string_view dataset) const { return datasets_[known(dataset)].status(); }

const PrivacyFilter& LedgerState::filter(std::string_view dataset) const { return datasets_[known(dataset)].filter; }

std::vector<Ledger::Status> LedgerState::datasets() const {
  std::vector<Ledger::Status> all;
  for (const Dataset& dataset : datasets_) all.push_back(dataset.status());
  return all;
}

const Ledger::Entry& LedgerState::reservation(uint64_t sequence) const {
  if (sequence == 0 || sequence > entries_.size() || entries_[sequence - 1].kind != Ledger::Kind::reserve) {
    throw InvalidInput(fmt::format("row {} is not a reservation of this ledger", sequence));
  }
  return entries_[sequence - 1];
}

void LedgerState::open(const Ledger::Entry& entry) {
  const size_t found = index(entry.dataset);
  if (found < datasets_.size()) {
    const BudgetSpec& total = datasets_[found].filter.total();
    throw InvalidInput(
        fmt::format("data set '{}': is in the ledger already, with a total of {} (unit: {}); neither can be changed",
                    entry.dataset, total.describe(), unit_of(total.relation)));
  }
  datasets_.push_back({entry.dataset, PrivacyFilter(entry.dataset, entry.budget)});
}

void LedgerState::reserve(const Ledger::Entry& entry) {
  datasets_[known(entry.dataset)].filter.charge(entry.budget, entry.guarantee);
}

void LedgerState::record(const Ledger::Entry& entry) {
  if (reservation(entry.reservation).dataset != entry.dataset) {
    throw InvalidInput(fmt::format("row {} is not a reservation of data set '{}'", entry.reservation, entry.dataset));
  }
  if (!recorded_.insert(entry.reservation).second) {
    throw InvalidInput(fmt::format("reservation {} has been recorded before", entry.reservation));
  }
}

void LedgerState::append(Ledger::Entry entry) {
  check_label(entry.dataset, "data set name");
  check_label(entry.purpose, "purpose");
  static_cast<void>(Budget::unledgered(entry.budget));  // refuses amounts that are out of range
  check_price(entry.guarantee);
  switch (entry.kind) {
    case Ledger::Kind::dataset:
      open(entry);
      break;
    case Ledger::Kind::reserve:
      reserve(entry);
      break;
    case Ledger::Kind::record:
      record(entry);
      break;
  }
  entries_.push_back(std::move(entry));
}

}  // namespace dppl
