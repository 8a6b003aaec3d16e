#include "dppl/ledger.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "dppl/error.h"
#include "dppl/random.h"
#include "ledger/constants.h"
#include "ledger/database.h"
#include "ledger/ledger_entry.h"
#include "ledger/ledger_state.h"
#include "ledger/privacy_filter.h"

namespace dppl {
namespace {

constexpr int64_t kApplicationId = 0x6470706c;  // "dppl"
constexpr int64_t kVersion = 1;
constexpr int kColumns = static_cast<int>(kEntryColumns.size());

// A ledger whose contents are not what this dppl writes.
struct Broken : std::runtime_error {
  explicit Broken(const std::string& problem) : std::runtime_error(problem) {}
  Broken(uint64_t bad_row, const std::string& problem)
      : std::runtime_error(fmt::format("row {}: {}", bad_row, problem)), row(bad_row) {}
  std::optional<uint64_t> row;
  std::string_view advice = "it was changed by something else than dppl, restore it from a copy";
};

std::vector<std::string> schema() {
  const auto refuse = [](std::string_view name, std::string_view event, std::string_view condition) {
    return fmt::format("CREATE TRIGGER {} BEFORE {} {}BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END", name,
                       event, condition);
  };
  return {
      fmt::format("CREATE TABLE entry (sequence INTEGER PRIMARY KEY, {} TEXT NOT NULL, digest TEXT NOT NULL) STRICT",
                  fmt::join(kEntryColumns, " TEXT NOT NULL, ")),
      "CREATE TABLE head (id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER NOT NULL, digest TEXT NOT NULL) STRICT",
      refuse("entry_update", "UPDATE ON entry", ""),
      refuse("entry_delete", "DELETE ON entry", ""),
      refuse("entry_insert", "INSERT ON entry", "WHEN NEW.sequence IS NOT (SELECT count + 1 FROM head) "),
      refuse("head_insert", "INSERT ON head", "WHEN EXISTS (SELECT 1 FROM head) "),
      refuse("head_update", "UPDATE ON head", "WHEN NEW.count IS NOT OLD.count + 1 "),
      refuse("head_delete", "DELETE ON head", ""),
  };
}

// A file that a killed 'init' left empty is blank, too.
bool is_blank(Database& database) {
  return database.integer("PRAGMA application_id") == 0 && database.integer("PRAGMA user_version") == 0 &&
         database.integer("SELECT count(*) FROM sqlite_schema") == 0;
}

void check_format(Database& database, const std::filesystem::path& path) {
  if (database.integer("PRAGMA application_id") != kApplicationId) {
    throw IoError(fmt::format("ledger {}: is not a dppl ledger; create one with 'dppl ledger init'", path.string()));
  }
  const int64_t version = database.integer("PRAGMA user_version");
  if (version != kVersion) {
    throw IoError(
        fmt::format("ledger {}: has format {}, and this dppl reads format {} only; use the dppl that wrote it",
                    path.string(), version, kVersion));
  }
}

void initialise(Database& database, const std::filesystem::path& path) {
  {
    // Somebody else's data base is looked at and left alone.
    Transaction look(database, Transaction::Kind::read);
    if (!is_blank(database)) return check_format(database, path);
  }
  Transaction transaction(database, Transaction::Kind::write);
  if (!is_blank(database)) return;
  for (const std::string& statement : schema()) database.execute(statement.c_str());
  database.execute(fmt::format("PRAGMA application_id = {}", kApplicationId).c_str());
  database.execute(fmt::format("PRAGMA user_version = {}", kVersion).c_str());
  database.execute(fmt::format("INSERT INTO head VALUES (1, 0, '{}')", first_previous()).c_str());
  transaction.commit();
}

void check_schema(Database& database) {
  std::vector<std::string> expected = schema(), found;
  Statement statement = database.prepare("SELECT coalesce(sql, '') FROM sqlite_schema");
  while (statement.step()) found.push_back(statement.text(0));
  std::ranges::sort(expected);
  std::ranges::sort(found);
  if (found != expected) throw Broken{"its tables or triggers are not those that dppl created"};
}

Ledger::Entry read_entry(const Statement& row, const LedgerState& state) {
  const uint64_t expected = state.entries().size() + 1;
  if (row.integer(0) != static_cast<int64_t>(expected)) throw InvalidInput("is missing");
  EntryFields fields;
  for (int i = 0; i < kColumns; ++i) fields[static_cast<size_t>(i)] = row.text(i + 1);
  const std::string digest = row.text(kColumns + 1);
  if (digest != entry_digest(expected, fields)) throw InvalidInput("its contents do not match its digest");
  Ledger::Entry entry = from_fields(fields);
  if (entry.previous != state.head()) throw InvalidInput("it does not follow the row before it");
  entry.sequence = expected;
  entry.digest = digest;
  return entry;
}

LedgerState read_entries(Database& database) {
  LedgerState state;
  Statement rows = database.prepare(
      fmt::format("SELECT sequence, {}, digest FROM entry ORDER BY sequence", fmt::join(kEntryColumns, ", ")).c_str());
  while (rows.step()) {
    try {
      state.append(read_entry(rows, state));
    } catch (const RetiredNotion& error) {
      Broken old(state.entries().size() + 1, error.what());
      old.advice = "use the dppl that wrote it, or start a new ledger with totals that leave out what is spent";
      throw old;
    } catch (const Error& error) {
      throw Broken{state.entries().size() + 1, error.what()};
    }
  }
  return state;
}

void check_head(Database& database, const LedgerState& state) {
  Statement head = database.prepare("SELECT count, digest FROM head");
  const uint64_t rows = state.entries().size();
  if (!head.step()) throw Broken{"its head is missing"};
  const int64_t count = head.integer(0);
  if (count > static_cast<int64_t>(rows)) throw Broken{rows + 1, "is missing (the head counts more rows)"};
  if (count != static_cast<int64_t>(rows) || head.text(1) != state.head()) {
    throw Broken{"its head does not match its last row"};
  }
}

// The whole ledger, checked. Throws Broken.
LedgerState read_state(Database& database) {
  try {
    check_schema(database);
    LedgerState state = read_entries(database);
    check_head(database, state);
    return state;
  } catch (const InvalidInput& error) {
    throw Broken(error.what());
  }
}

// The same for everything but verify.
LedgerState open_state(Database& database, const std::filesystem::path& path) {
  check_format(database, path);
  try {
    return read_state(database);
  } catch (const Broken& broken) {
    throw IoError(fmt::format("ledger {}: {}; {}", path.string(), broken.what(), broken.advice));
  }
}

void insert(Database& database, const Ledger::Entry& entry, const EntryFields& fields) {
  std::string marks = "?";
  for (int i = 0; i <= kColumns; ++i) marks += ", ?";
  Statement row = database.prepare(fmt::format("INSERT INTO entry VALUES ({})", marks).c_str());
  row.bind(0, static_cast<int64_t>(entry.sequence));
  for (int i = 0; i < kColumns; ++i) row.bind(i + 1, fields[static_cast<size_t>(i)]);
  row.bind(kColumns + 1, entry.digest);
  row.step();
  Statement head = database.prepare("UPDATE head SET count = ?, digest = ?");
  head.bind(0, static_cast<int64_t>(entry.sequence));
  head.bind(1, entry.digest);
  head.step();
}

std::string now() {
  const auto seconds = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)));
}

// Two reservations are never alike, though they ask for the same in the same second: so the head that follows from one
// tells it from any other, also after an older copy of the file was put back.
std::string nonce() {
  SecureRandom random;
  return fmt::format("{:016x}{:016x}", random.next64(), random.next64());
}

// Sums of amounts must fit what a row holds.
void check_digits(const BudgetSpec& cost) {
  if (std::max(to_string(cost.amount).size(), to_string(cost.delta).size()) > kMostAmountDigits) {
    throw InvalidInput(fmt::format("budget: its exact amount takes more than {} digits; round it", kMostAmountDigits));
  }
}

// Writes one entry behind the last, or throws and writes nothing. `complete` sees the ledger that the entry will join.
Ledger::Entry append(Database& database, const std::filesystem::path& path, Ledger::Entry entry,
                     const std::function<void(const LedgerState&, Ledger::Entry&)>& complete) {
  Transaction transaction(database, Transaction::Kind::write);
  LedgerState state = open_state(database, path);
  complete(state, entry);
  entry.sequence = state.entries().size() + 1;
  if (entry.time.empty()) entry.time = now();
  entry.previous = state.head();
  const EntryFields fields = to_fields(entry);
  entry.digest = entry_digest(entry.sequence, fields);
  state.append(entry);
  insert(database, entry, fields);
  transaction.commit();
  return entry;
}

void leave(const LedgerState&, Ledger::Entry&) {}

void check_model_digest(std::string_view digest) {
  const bool hexadecimal = digest.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (!digest.empty() && digest.size() <= kMostHexDigits && hexadecimal) return;
  throw InvalidInput(fmt::format("model digest: give 1 to {} lower-case hexadecimal digits", kMostHexDigits));
}

void check_released(const LedgerState& state, const Reservation& reservation, const Guarantee& released) {
  const Ledger::Entry& reserved = state.reservation(reservation.id());
  if (reserved.digest != reservation.digest()) {
    throw InvalidInput(fmt::format("reservation {} was made in another ledger", reservation.id()));
  }
  const bool covered = released.relation == reserved.budget.relation && stays_within(released, reserved.budget) &&
                       state.filter(reserved.dataset).covers(reserved.budget, reserved.guarantee, released);
  if (!covered) {
    throw InvalidInput(fmt::format("reservation {} of {} does not cover what was released; do not publish the result",
                                   reservation.id(), reserved.budget.describe()));
  }
}

void check_noted(const LedgerState& state, const std::string& noted) {
  if (std::ranges::find(state.entries(), noted, &Ledger::Entry::digest) == state.entries().end()) {
    throw Broken{
        fmt::format("the noted head '{:.64}' is not on its chain: it was rewritten, or the note is not of "
                    "this ledger",
                    noted)};
  }
}

void check_integrity(Database& database) {
  Statement report = database.prepare("PRAGMA integrity_check");
  report.step();
  if (const std::string problem = report.text(0); problem != "ok") throw Broken{"its file is damaged: " + problem};
}

}  // namespace

Reservation::Reservation(uint64_t id, std::string dataset, BudgetSpec cost, std::string digest)
    : id_(id), dataset_(std::move(dataset)), cost_(std::move(cost)), digest_(std::move(digest)) {}

Reservation::Reservation(Reservation&& other) noexcept
    : id_(other.id_),
      dataset_(std::move(other.dataset_)),
      cost_(std::move(other.cost_)),
      digest_(std::move(other.digest_)),
      taken_(std::exchange(other.taken_, true)) {}

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  id_ = other.id_;
  dataset_ = std::move(other.dataset_);
  cost_ = std::move(other.cost_);
  digest_ = std::move(other.digest_);
  taken_ = std::exchange(other.taken_, true);
  return *this;
}

Budget Reservation::take_budget() {
  if (taken_) {
    throw BudgetExceeded(fmt::format("reservation {}: its budget was taken before; reserve again", id_));
  }
  taken_ = true;
  return Budget(cost_);
}

void Ledger::create_dataset(const std::filesystem::path& path, std::string_view name, const BudgetSpec& total,
                            std::chrono::milliseconds patience) {
  Entry entry;
  entry.kind = Kind::dataset;
  entry.dataset = name;
  entry.budget = total;
  entry.guarantee = total.as_guarantee();
  entry.purpose = "total budget";
  LedgerState().append(entry);  // refuses a bad name or amount before a file is made

  Database database(path, Database::Mode::create, patience);
  initialise(database, path);
  append(database, path, std::move(entry), leave);
}

Ledger::Ledger(std::filesystem::path path, std::chrono::milliseconds patience)
    : path_(std::move(path)), patience_(patience) {
  Database database(path_, Database::Mode::existing, patience_);
  Transaction transaction(database, Transaction::Kind::read);
  check_format(database, path_);
}

void Ledger::check_affordable(std::string_view dataset, const BudgetSpec& cost, const Guarantee& price) const {
  Database database(path_, Database::Mode::existing, patience_);
  Transaction transaction(database, Transaction::Kind::read);
  PrivacyFilter(open_state(database, path_).filter(dataset)).charge(cost, price);
}

Reservation Ledger::reserve(std::string_view dataset, const BudgetSpec& cost, const Guarantee& price,
                            std::string_view purpose) {
  static_cast<void>(Budget::unledgered(cost));  // refuses amounts that are out of range
  check_digits(cost);
  if (!stays_within(price, cost)) {
    throw InvalidInput(fmt::format("data set '{}': the price of the release goes beyond the {} that was asked", dataset,
                                   cost.describe()));
  }
  Entry entry;
  entry.kind = Kind::reserve;
  entry.dataset = dataset;
  entry.budget = cost;
  entry.guarantee = price;
  entry.purpose = purpose;
  entry.model_digest = nonce();
  Database database(path_, Database::Mode::existing, patience_);
  const Entry written = append(database, path_, std::move(entry), leave);
  return Reservation(written.sequence, written.dataset, written.budget, written.digest);
}

Reservation Ledger::reserve(std::string_view dataset, const BudgetSpec& cost, std::string_view purpose) {
  return reserve(dataset, cost, cost.as_guarantee(), purpose);
}

void Ledger::record(const Reservation& reservation, const Guarantee& released, std::string_view model_digest) {
  check_model_digest(model_digest);
  Entry entry;
  entry.kind = Kind::record;
  entry.dataset = reservation.dataset();
  entry.reservation = reservation.id();
  entry.budget = reservation.cost();
  entry.guarantee = released;
  entry.purpose = "release";
  entry.model_digest = model_digest;
  Database database(path_, Database::Mode::existing, patience_);
  append(database, path_, std::move(entry), [&](const LedgerState& state, Entry& own) {
    check_released(state, reservation, released);
    // How long a fit took tells how many records it read: the row says when it was reserved.
    own.time = state.reservation(reservation.id()).time;
  });
}

Ledger::Status Ledger::status(std::string_view dataset) const {
  Database database(path_, Database::Mode::existing, patience_);
  Transaction transaction(database, Transaction::Kind::read);
  return open_state(database, path_).status(dataset);
}

Ledger::Contents Ledger::contents() const {
  Database database(path_, Database::Mode::existing, patience_);
  Transaction transaction(database, Transaction::Kind::read);
  const LedgerState state = open_state(database, path_);
  return {state.datasets(), state.entries(), state.head()};
}

Ledger::Verification Ledger::verify(const std::optional<std::string>& noted_head) const {
  Database database(path_, Database::Mode::existing, patience_);
  Transaction transaction(database, Transaction::Kind::read);
  check_format(database, path_);
  Verification result;
  try {
    const LedgerState state = read_state(database);
    result.rows = state.entries().size();
    result.head = state.head();
    if (noted_head) check_noted(state, *noted_head);
    check_integrity(database);
  } catch (const Broken& broken) {
    result.bad_row = broken.row;
    result.problem = broken.what();
  }
  return result;
}

}  // namespace dppl
