#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dppl/budget.h"

namespace dppl {

// A cost that a ledger has written down as spent, and the only way to a ledgered Budget. Move-only, like the budget.
class Reservation {
 public:
  Reservation(Reservation&& other) noexcept;
  Reservation& operator=(Reservation&& other) noexcept;
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;

  uint64_t id() const { return id_; }  // the number of its row in the ledger
  const std::string& dataset() const { return dataset_; }
  const BudgetSpec& cost() const { return cost_; }
  const std::string& digest() const { return digest_; }  // of its row

  // What the mechanism takes. Once only: then, and from a moved-from reservation, throws BudgetExceeded.
  Budget take_budget();

 private:
  friend class Ledger;
  Reservation(uint64_t id, std::string dataset, BudgetSpec cost, std::string digest);

  uint64_t id_;
  std::string dataset_;
  BudgetSpec cost_;
  std::string digest_;
  bool taken_ = false;
};

// An append-only file of what every private data set may spend and has spent. A release reserves its cost before it
// reads private data: the cost is on the disk, as spent, when reserve() returns, whatever happens to the process
// afterwards. Any number of processes and threads may use the file at once. It holds nothing private. docs/ledger.md
// says how costs add up and why that is sound.
//
// Rows form a hash chain, and every operation checks the whole chain first: a ledger that was tampered with is refused
// with an IoError that names the first bad row.
class Ledger {
 public:
  static constexpr std::chrono::milliseconds kPatience{10000};

  enum class Kind { dataset, reserve, record };

  struct Entry {
    uint64_t sequence = 0;
    Kind kind = Kind::dataset;
    std::string dataset;
    uint64_t reservation = 0;  // record: the row of the reservation it completes
    BudgetSpec budget;         // dataset: the total; reserve, record: what was asked
    Guarantee guarantee;       // the price in every notion; record: of what was released
    std::string purpose;       // e.g. "fit public"
    std::string time;          // UTC, ISO 8601; record: of its reservation, since how long a fit takes is private
    std::string model_digest;  // record: of the model; reserve: random, so that no two rows are alike
    std::string previous;      // digest of the row before
    std::string digest;
  };

  // In the unit in which costs add up against a total: ε, ρ, or ε together with δ.
  struct Amount {
    Rational value;
    Rational delta;
    friend bool operator==(const Amount&, const Amount&) = default;
  };

  struct Balance {
    Notion unit;  // the total's notion; an (ε, δ) total that is kept by ρ counts in ρ, or in ε where that leaves more
    Amount limit;
    Amount spent;
    Amount remaining;
  };

  struct Status {
    std::string dataset;
    BudgetSpec total;
    Balance balance;
  };

  struct Contents {
    std::vector<Status> datasets;
    std::vector<Entry> entries;
    std::string
        head;  // digest of the last row: note it, and verify() can tell later that nothing before it was changed
  };

  struct Verification {
    uint64_t rows = 0;
    std::string head;
    std::optional<uint64_t> bad_row;  // the first one, where the problem lies in a row
    std::string problem;              // empty: the ledger is whole
    bool whole() const { return problem.empty(); }
  };

  // Enters a data set with its total, creating the file when missing. A name that is there already is refused: a total
  // cannot be changed, nor its relation, which says whether the data set is for records or for people.
  static void create_dataset(const std::filesystem::path& path, std::string_view name, const BudgetSpec& total,
                             std::chrono::milliseconds patience = kPatience);

  // Throws what reserve() would for a cost that does not fit, and writes nothing: to ask before private data is opened.
  void check_affordable(std::string_view dataset, const BudgetSpec& cost, const Guarantee& price) const;

  // An existing ledger. `patience`: how long an operation waits for other processes before it gives up with an IoError.
  explicit Ledger(std::filesystem::path path, std::chrono::milliseconds patience = kPatience);

  // Writes down that `cost` is spent, or throws BudgetExceeded (with what is spent, asked and remaining) and writes
  // nothing. `price` is what the mechanism will charge for using `cost`, in every notion in which a bound is known: a
  // data set whose total is in another notion than `cost` is charged by it, e.g. ε²/8 of a ρ total for an exponential
  // mechanism asked in ε. Throws InvalidInput when no bound is known in the total's notion, when the relations differ,
  // or when `price` goes beyond `cost`. A seeded run reserves like any other and says so by price.is_private.
  Reservation reserve(std::string_view dataset, const BudgetSpec& cost, const Guarantee& price,
                      std::string_view purpose);
  // For a mechanism of which nothing is known but that it stays within `cost`.
  Reservation reserve(std::string_view dataset, const BudgetSpec& cost, std::string_view purpose);

  // Appends what came of a reservation: the guarantee of the release and the digest of the model made of it
  // (hexadecimal). Once for a reservation. Throws InvalidInput when the release cost more than was reserved; do not
  // publish it then.
  void record(const Reservation& reservation, const Guarantee& released, std::string_view model_digest);

  Status status(std::string_view dataset) const;
  Contents contents() const;

  // Looks for damage and tampering instead of throwing at it: the file's structure, the chain, and that no data set
  // spent more than its total. `noted_head` is a head noted earlier, which must still be on the chain. Throws IoError
  // only when the file cannot be read as a ledger at all.
  Verification verify(const std::optional<std::string>& noted_head = std::nullopt) const;

 private:
  std::filesystem::path path_;
  std::chrono::milliseconds patience_;
};

std::string_view to_string(Ledger::Kind kind);

// "ε = 0.1", "ρ = 0.125", "(ε, δ) = (1, 0.00001)": an amount counted against a total in this notion. Exact
// where that is short, else rounded to the given side.
std::string describe(Notion notion, const Ledger::Amount& amount, Rounding rounding);

}  // namespace dppl
