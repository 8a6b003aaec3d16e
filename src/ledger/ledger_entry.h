#pragma once

#include <array>
#include <string>
#include <string_view>

#include "dppl/error.h"
#include "dppl/ledger.h"

namespace dppl {

// An entry as it is stored: one text for every column between its number and its digest. Absent values are empty.
constexpr std::array<std::string_view, 18> kEntryColumns = {"kind",
                                                            "dataset",
                                                            "reservation",
                                                            "notion",
                                                            "amount",
                                                            "delta",
                                                            "relation",
                                                            "epsilon",
                                                            "bounded_range",
                                                            "rho",
                                                            "mu_squared",
                                                            "approximate_epsilon",
                                                            "approximate_delta",
                                                            "is_private",
                                                            "purpose",
                                                            "time",
                                                            "model_digest",
                                                            "previous"};
using EntryFields = std::array<std::string, kEntryColumns.size()>;

// A row of an earlier dppl, which counted in μ-GDP too: nobody tampered with it.
class RetiredNotion : public InvalidInput {
 public:
  RetiredNotion() : InvalidInput("it counts in μ-GDP, which this dppl does not") {}
};

EntryFields to_fields(const Ledger::Entry& entry);
// Sequence and digest are the caller's to set. Throws InvalidInput naming the column that cannot be read, or
// RetiredNotion.
Ledger::Entry from_fields(const EntryFields& fields);

// BLAKE2b-256, in hexadecimal, over the number and every field, each preceded by its length: no two entries share an
// encoding.
std::string entry_digest(uint64_t sequence, const EntryFields& fields);
// What stands before the first row.
std::string first_previous();

}  // namespace dppl
