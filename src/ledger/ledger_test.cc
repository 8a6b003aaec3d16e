#include "dppl/ledger.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <thread>

#include "dppl/error.h"
#include "ledger/ledger_entry.h"
#include "support/expect_error.h"
#include "support/raw_ledger.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

Rational number(const char* text) { return parse_rational(text, "test"); }
BudgetSpec pure(const char* epsilon) { return BudgetSpec::pure(number(epsilon)); }

class LedgerTest : public ::testing::Test {
 protected:
  testing::TempDir directory_;
  std::filesystem::path path_ = directory_.path("budget.ledger");

  Ledger make(const BudgetSpec& total) {
    Ledger::create_dataset(path_, "flowers", total);
    return Ledger(path_);
  }
  std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& contents) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << contents;
  }
};

TEST_F(LedgerTest, KeepsTotalsReservationsAndRecords) {
  make_sample_ledger(path_);
  const Ledger ledger(path_);
  const Ledger::Contents contents = ledger.contents();
  ASSERT_EQ(contents.entries.size(), 6u);
  ASSERT_EQ(contents.datasets.size(), 2u);
  EXPECT_EQ(contents.datasets[0].dataset, "flowers");
  EXPECT_EQ(contents.datasets[0].total, pure("1"));
  EXPECT_EQ(contents.datasets[0].balance.spent.value, number("0.3"));
  EXPECT_EQ(contents.datasets[0].balance.remaining.value, number("0.7"));
  EXPECT_EQ(contents.datasets[1].balance.spent.value, number("0.001"));
  EXPECT_EQ(contents.head, contents.entries.back().digest);

  const Ledger::Entry& reserve = contents.entries[1];
  EXPECT_EQ(reserve.kind, Ledger::Kind::reserve);
  EXPECT_EQ(reserve.budget, pure("0.1"));
  EXPECT_EQ(reserve.guarantee, Guarantee::pure(number("0.1")));
  EXPECT_EQ(reserve.purpose, "fit public");
  EXPECT_EQ(reserve.time.size(), std::strlen("2000-01-01T00:00:00Z"));
  const Ledger::Entry& record = contents.entries[2];
  EXPECT_EQ(record.kind, Ledger::Kind::record);
  EXPECT_EQ(record.reservation, 2u);
  EXPECT_EQ(record.model_digest, "00ff");
  EXPECT_EQ(record.previous, reserve.digest);

  const Ledger::Verification verification = ledger.verify();
  EXPECT_TRUE(verification.whole()) << verification.problem;
  EXPECT_EQ(verification.rows, 6u);
  EXPECT_EQ(verification.head, contents.head);
}

// The same reservation twice, in one second, on two copies of one file: a head tells them apart.
TEST_F(LedgerTest, NoTwoReservationsAreAlike) {
  Ledger::create_dataset(path_, "flowers", BudgetSpec::pure(1));
  const std::string copy = directory_.path("copy.ledger");
  std::filesystem::copy_file(path_, copy);
  Ledger first(path_), second(copy);
  const Reservation a = first.reserve("flowers", BudgetSpec::pure(1), "fit public");
  const Reservation b = second.reserve("flowers", BudgetSpec::pure(1), "fit public");
  EXPECT_NE(a.digest(), b.digest());
  EXPECT_FALSE(second.verify(a.digest()).whole());
}

// How long a fit takes depends on the records.
TEST_F(LedgerTest, ARecordTellsNoDuration) {
  Ledger::create_dataset(path_, "flowers", BudgetSpec::pure(1));
  Ledger ledger(path_);
  const Reservation reservation = ledger.reserve("flowers", BudgetSpec::pure(1), "fit public");
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  ledger.record(reservation, Guarantee::pure(1), "beef");
  const auto entries = ledger.contents().entries;
  EXPECT_EQ(entries[2].time, entries[1].time);
}

TEST_F(LedgerTest, TellsWhatIsAffordableAndWritesNothing) {
  Ledger::create_dataset(path_, "flowers", BudgetSpec::pure(1));
  Ledger ledger(path_);
  ledger.check_affordable("flowers", BudgetSpec::pure(1), Guarantee::pure(1));
  EXPECT_THROW(ledger.check_affordable("flowers", BudgetSpec::pure(2), Guarantee::pure(2)), BudgetExceeded);
  EXPECT_EQ(ledger.contents().entries.size(), 1u);
}

TEST_F(LedgerTest, ADataSetForPeopleTakesReleasesForPeople) {
  const Relation people = Relation::add_remove_person;
  Ledger ledger = make(BudgetSpec::zcdp(1, people));
  EXPECT_EQ(ledger.status("flowers").total, BudgetSpec::zcdp(1, people));
  ledger.check_affordable("flowers", BudgetSpec::zcdp(1, people), Guarantee::zcdp(1, people));
  const auto refused = [](auto&& ask) {
    testing::expect_error<InvalidInput>(ask, {"data set 'flowers' is for people, and this release is for records"});
  };
  refused([&] { ledger.check_affordable("flowers", BudgetSpec::zcdp(1), Guarantee::zcdp(1)); });
  refused([&] { ledger.reserve("flowers", BudgetSpec::zcdp(1), "fit mean"); });

  const Reservation reservation = ledger.reserve("flowers", BudgetSpec::zcdp(Rational(1, 2), people), "fit mean");
  EXPECT_THROW(ledger.record(reservation, Guarantee::zcdp(Rational(1, 2)), "ab"), InvalidInput);
  ledger.record(reservation, Guarantee::zcdp(Rational(1, 2), people), "ab");
  const Ledger::Contents contents = ledger.contents();
  EXPECT_EQ(contents.entries.back().guarantee, Guarantee::zcdp(Rational(1, 2), people));
  EXPECT_EQ(contents.datasets[0].balance.remaining.value, Rational(1, 2));
  EXPECT_TRUE(ledger.verify(contents.head).whole());
}

// Digests are over these words: one that is in use cannot be changed.
TEST_F(LedgerTest, ReadsEveryRelation) {
  for (const auto& [relation, word] : {std::pair{Relation::add_remove, "add-remove"},
                                       {Relation::replace_in_class, "replace-in-class"},
                                       {Relation::add_remove_person, "add-remove-person"}}) {
    Ledger::Entry entry;
    entry.budget = BudgetSpec::pure(1, relation);
    entry.guarantee = entry.budget.as_guarantee();
    EntryFields fields = to_fields(entry);
    EXPECT_EQ(field(fields, "relation"), word);
    EXPECT_EQ(from_fields(fields).budget, entry.budget);
    EXPECT_EQ(from_fields(fields).guarantee, entry.guarantee);
  }
}

TEST_F(LedgerTest, EveryFieldOfAnEntryReadsBack) {
  Ledger::Entry entry;
  entry.kind = Ledger::Kind::record;
  entry.dataset = "ünïcode 'quoted'";
  entry.reservation = 18446744073709551615u;
  entry.budget = BudgetSpec::approximate(Rational(1, 3), number("1e-60"), Relation::replace_in_class);
  entry.guarantee = Guarantee::of_bounded_range(Rational(1, 7), Relation::replace_in_class);
  entry.guarantee.mu_squared = Rational(1, 49);
  entry.guarantee.approximate = {1, Rational(1, 11)};
  entry.guarantee.is_private = false;
  entry.purpose = "p";
  entry.time = "t";
  entry.model_digest = "d";
  entry.previous = "q";
  const EntryFields fields = to_fields(entry);
  const Ledger::Entry back = from_fields(fields);
  EXPECT_EQ(to_fields(back), fields);
  EXPECT_EQ(back.guarantee, entry.guarantee);
  EXPECT_EQ(back.budget, entry.budget);
  EXPECT_EQ(back.reservation, entry.reservation);
}

TEST_F(LedgerTest, DigestsTellFieldsApart) {
  EntryFields a, b;
  a[1] = "xy";
  b[1] = "x";
  b[2] = "y";
  EXPECT_NE(entry_digest(1, a), entry_digest(1, b));
  EXPECT_NE(entry_digest(1, a), entry_digest(2, a));
  EXPECT_EQ(entry_digest(1, a).size(), 64u);
}

TEST_F(LedgerTest, TenTenthsAreOneAndARefusalWritesNothing) {
  Ledger ledger = make(pure("1"));
  for (int i = 0; i < 10; ++i) ledger.reserve("flowers", pure("0.1"), "fit public");
  const std::string before = bytes();
  EXPECT_THROW(ledger.reserve("flowers", pure("0.1"), "fit public"), BudgetExceeded);
  EXPECT_THROW(ledger.reserve("flowers", pure("1e-18"), "fit public"), BudgetExceeded);
  EXPECT_EQ(bytes(), before);
  EXPECT_EQ(ledger.status("flowers").balance.remaining.value, 0);
}

TEST_F(LedgerTest, RefusesWhatCannotBeReserved) {
  Ledger ledger = make(pure("1"));
  const std::string before = bytes();
  EXPECT_THROW(ledger.reserve("trees", pure("0.1"), "fit"), InvalidInput);
  EXPECT_THROW(ledger.reserve("flowers", pure("0"), "fit"), InvalidInput);
  EXPECT_THROW(ledger.reserve("flowers", pure("-0.1"), "fit"), InvalidInput);
  EXPECT_THROW(ledger.reserve("flowers", pure("0.1"), ""), InvalidInput);
  EXPECT_THROW(ledger.reserve("flowers", pure("0.1"), "new\nline"), InvalidInput);
  EXPECT_THROW(ledger.reserve("flowers", BudgetSpec::zcdp(number("0.1")), "fit mean"), InvalidInput);
  EXPECT_THROW(ledger.reserve("flowers", BudgetSpec::pure(number("0.1"), Relation::replace_in_class), "fit"),
               InvalidInput);
  EXPECT_THROW(ledger.reserve("flowers", pure("0.1"), Guarantee::pure(number("0.2")), "fit"), InvalidInput);
  Guarantee refund = Guarantee::pure(number("0.1"));
  refund.rho = -1;
  EXPECT_THROW(ledger.reserve("flowers", pure("0.1"), refund, "fit"), InvalidInput);
  EXPECT_EQ(bytes(), before);
}

TEST_F(LedgerTest, ChargesTheExponentialMechanismByItsPrice) {
  Ledger ledger = make(BudgetSpec::zcdp(Rational(1, 8)));
  ledger.reserve("flowers", pure("1"), Guarantee::of_bounded_range(1), "fit public");
  EXPECT_EQ(ledger.status("flowers").balance.remaining.value, 0);
}

TEST_F(LedgerTest, SeededRunsCostTheSameAndAreMarked) {
  Ledger ledger = make(pure("1"));
  Guarantee price = Guarantee::pure(number("0.6"));
  price.is_private = false;
  ledger.reserve("flowers", pure("0.6"), price, "fit public");
  EXPECT_FALSE(ledger.contents().entries.back().guarantee.is_private);
  EXPECT_THROW(ledger.reserve("flowers", pure("0.6"), price, "fit public"), BudgetExceeded);
}

TEST_F(LedgerTest, ABudgetIsTakenOnce) {
  Ledger ledger = make(pure("1"));
  Reservation reservation = ledger.reserve("flowers", pure("0.1"), "fit public");
  Reservation moved = std::move(reservation);
  EXPECT_THROW(reservation.take_budget(), BudgetExceeded);  // NOLINT(bugprone-use-after-move): that is the point
  EXPECT_EQ(moved.take_budget().spec(), pure("0.1"));
  EXPECT_THROW(moved.take_budget(), BudgetExceeded);
  Reservation assigned = ledger.reserve("flowers", pure("0.2"), "fit public");
  moved = std::move(assigned);
  EXPECT_EQ(moved.take_budget().spec(), pure("0.2"));
  EXPECT_THROW(assigned.take_budget(), BudgetExceeded);  // NOLINT(bugprone-use-after-move)
}

TEST_F(LedgerTest, AReservationIsSpentWhetherItsBudgetIsTakenOrNot) {
  Ledger ledger = make(pure("1"));
  { const Reservation dropped = ledger.reserve("flowers", pure("0.4"), "fit public"); }
  EXPECT_EQ(Ledger(path_).status("flowers").balance.spent.value, number("0.4"));
}

TEST_F(LedgerTest, RecordsWhatItCoversOnce) {
  Ledger ledger = make(BudgetSpec::zcdp(1));
  const Reservation reservation = ledger.reserve("flowers", pure("1"), Guarantee::of_bounded_range(1), "fit public");
  EXPECT_THROW(ledger.record(reservation, Guarantee::of_bounded_range(number("1.1")), "ab"), InvalidInput);
  EXPECT_THROW(ledger.record(reservation, Guarantee::pure(1), "ab"), InvalidInput);  // costs ε²/2, not ε²/8
  EXPECT_THROW(ledger.record(reservation, Guarantee::of_bounded_range(1, Relation::replace_in_class), "ab"),
               InvalidInput);
  for (const char* digest : {"", "xyz", "AB", "a\nb"}) {
    EXPECT_THROW(ledger.record(reservation, Guarantee::of_bounded_range(1), digest), InvalidInput) << digest;
  }
  ledger.record(reservation, Guarantee::of_bounded_range(1), "ab");
  EXPECT_THROW(ledger.record(reservation, Guarantee::of_bounded_range(1), "ab"), InvalidInput);
  EXPECT_EQ(ledger.contents().entries.size(), 3u);

  const std::filesystem::path other = directory_.path("other.ledger");
  Ledger::create_dataset(other, "flowers", BudgetSpec::zcdp(2));
  Ledger(other).reserve("flowers", pure("1"), Guarantee::of_bounded_range(1), "fit public");
  EXPECT_THROW(Ledger(other).record(reservation, Guarantee::of_bounded_range(1), "ab"), InvalidInput);
}

TEST_F(LedgerTest, NamesAreCheckedBeforeAFileIsMade) {
  for (const std::string& name :
       {std::string(), std::string("a\tb"), std::string("a\0b", 3), std::string("a\x7f"), std::string(201, 'x'),
        std::string("\xff"), std::string("\xc3"), std::string("\xc2\x85"), std::string("\xed\xa0\x80"),
        std::string("\xc0\xaf"), std::string("\xe2\x82")}) {
    EXPECT_THROW(Ledger::create_dataset(path_, name, pure("1")), InvalidInput);
  }
  EXPECT_THROW(Ledger::create_dataset(path_, "x", pure("0")), InvalidInput);
  EXPECT_THROW(Ledger::create_dataset(path_, "x", BudgetSpec::approximate(1, 1)), InvalidInput);
  EXPECT_FALSE(std::filesystem::exists(path_));
  for (const std::string& name : {std::string(200, 'x'), std::string("Blüten 花 🌼 '; DROP TABLE entry; --")}) {
    Ledger::create_dataset(path_, name, pure("1"));
    EXPECT_EQ(Ledger(path_).status(name).dataset, name);
  }
}

TEST_F(LedgerTest, ATotalCannotBeReplaced) {
  Ledger ledger = make(pure("1"));
  EXPECT_THROW(Ledger::create_dataset(path_, "flowers", pure("2")), InvalidInput);
  testing::expect_error<InvalidInput>(
      [&] { Ledger::create_dataset(path_, "flowers", BudgetSpec::pure(1, Relation::add_remove_person)); },
      {"a total of ε = 1 (unit: record); neither can be changed"});
  EXPECT_EQ(ledger.status("flowers").total, pure("1"));
  EXPECT_EQ(ledger.contents().entries.size(), 1u);
}

TEST_F(LedgerTest, AFileLeftEmptyByAKilledInitIsUsed) {
  write("");
  EXPECT_THROW(Ledger{path_}, IoError);
  make(pure("1"));
  EXPECT_TRUE(Ledger(path_).verify().whole());
}

TEST_F(LedgerTest, OtherFilesAreRefusedAndLeftAlone) {
  EXPECT_THROW(Ledger{path_}, IoError);
  EXPECT_THROW(Ledger{directory_.path(".")}, IoError);
  EXPECT_THROW(Ledger{""}, InvalidInput);
  EXPECT_THROW(Ledger::create_dataset(directory_.path("."), "x", pure("1")), IoError);
  EXPECT_THROW(Ledger::create_dataset(directory_.path("no/where"), "x", pure("1")), IoError);
  const std::string text =
      "a text that is long enough to be mistaken for the header of a data base, or so one would hope\n";
  write(text);
  EXPECT_THROW(Ledger{path_}, IoError);
  EXPECT_THROW(Ledger::create_dataset(path_, "x", pure("1")), IoError);
  EXPECT_EQ(bytes(), text);

  std::filesystem::remove(path_);
  RawLedger(path_).execute("PRAGMA journal_mode = WAL; CREATE TABLE theirs (x)");
  const std::string theirs = bytes();
  EXPECT_THROW(Ledger{path_}, IoError);
  EXPECT_THROW(Ledger::create_dataset(path_, "x", pure("1")), IoError);
  EXPECT_EQ(bytes(), theirs);
}

TEST_F(LedgerTest, ANewerFormatIsRefused) {
  make(pure("1"));
  RawLedger(path_).execute("PRAGMA user_version = 2");
  try {
    Ledger ledger(path_);
    FAIL();
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("format 2"), std::string::npos) << error.what();
  }
}

TEST_F(LedgerTest, ABusyLedgerIsGivenUpWithAReason) {
  make(pure("1"));
  RawLedger raw(path_);
  raw.execute("BEGIN EXCLUSIVE");
  try {
    Ledger(path_, std::chrono::milliseconds(20)).reserve("flowers", pure("0.1"), "fit public");
    FAIL();
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("another process has held it for 20 ms"), std::string::npos)
        << error.what();
  }
  raw.execute("ROLLBACK");
}

TEST_F(LedgerTest, ThreadsMayShareALedger) {
  Ledger ledger = make(pure("1"));
  std::vector<std::thread> threads;
  std::atomic<int> passed = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        try {
          ledger.reserve("flowers", pure("0.1"), "race");
          ++passed;
        } catch (const BudgetExceeded&) {
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(passed, 10);
  EXPECT_TRUE(ledger.verify().whole());
}

}  // namespace
}  // namespace dppl
