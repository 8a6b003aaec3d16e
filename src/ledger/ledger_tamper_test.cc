#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "dppl/error.h"
#include "dppl/ledger.h"
#include "support/raw_ledger.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

class LedgerTamper : public ::testing::Test {
 protected:
  LedgerTamper() {
    make_sample_ledger(original_);
    noted_ = Ledger(original_).contents().head;
  }

  // What verify says of a copy after `sql`.
  Ledger::Verification after(const std::string& sql) {
    std::filesystem::copy_file(original_, path_, std::filesystem::copy_options::overwrite_existing);
    RawLedger(path_).execute(sql);
    return Ledger(path_).verify();
  }
  Ledger::Verification after_forging(const std::function<void(uint64_t, EntryFields&)>& edit) {
    std::filesystem::copy_file(original_, path_, std::filesystem::copy_options::overwrite_existing);
    forge(path_, edit);
    return Ledger(path_).verify();
  }
  // Nothing but verify works on a ledger that was tampered with.
  void expect_closed() {
    EXPECT_THROW(Ledger(path_).reserve("flowers", BudgetSpec::pure(Rational(1, 100)), "fit"), IoError);
    EXPECT_THROW(Ledger(path_).contents(), IoError);
    EXPECT_THROW(Ledger(path_).status("flowers"), IoError);
    EXPECT_THROW(Ledger::create_dataset(path_, "more", BudgetSpec::pure(1)), IoError);
  }

  static constexpr uint64_t kRows = 6;
  testing::TempDir directory_;
  std::filesystem::path original_ = directory_.path("original.ledger");
  std::filesystem::path path_ = directory_.path("tampered.ledger");
  std::string noted_;
};

TEST_F(LedgerTamper, TouchingWithoutChangingIsNoHarm) {
  const Ledger::Verification result = after("UPDATE entry SET purpose = purpose; UPDATE head SET count = count");
  EXPECT_TRUE(result.whole()) << result.problem;
}

TEST_F(LedgerTamper, AnEditOfAnyColumnOfAnyRowIsFound) {
  std::vector<std::string> columns(kEntryColumns.begin(), kEntryColumns.end());
  columns.push_back("digest");
  for (uint64_t row = 1; row <= kRows; ++row) {
    for (const std::string& column : columns) {
      const std::string where = " WHERE sequence = " + std::to_string(row);
      for (const std::string& value : {column + " || '0'", "'x' || " + column, "substr(" + column + ", 2)"}) {
        const auto changes = RawLedger(original_, RawLedger::Guards::keep)
                                 .column("SELECT 1 FROM entry" + where + " AND " + column + " <> " + value);
        if (changes.empty()) continue;  // an empty text has no shorter one
        EXPECT_EQ(after("UPDATE entry SET " + column + " = " + value + where).bad_row, row) << column << " = " << value;
      }
    }
  }
  expect_closed();
}

TEST_F(LedgerTamper, ARowOfAnEarlierDpplInARetiredNotionIsNotCalledTampering) {
  const Ledger::Verification result = after_forging([](uint64_t row, EntryFields& fields) {
    if (row == 1) field(fields, "notion") = "gdp";
  });
  EXPECT_EQ(result.bad_row, 1u);
  EXPECT_NE(result.problem.find("μ-GDP"), std::string::npos) << result.problem;
  expect_closed();
  try {
    Ledger(path_).contents();
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("use the dppl that wrote it"), std::string::npos) << error.what();
  }
}

TEST_F(LedgerTamper, ADeletedRowIsFound) {
  for (uint64_t row = 1; row <= kRows; ++row) {
    EXPECT_EQ(after("DELETE FROM entry WHERE sequence = " + std::to_string(row)).bad_row, row);
  }
  expect_closed();
  EXPECT_FALSE(after("DELETE FROM entry").whole());
}

TEST_F(LedgerTamper, ADeletedRowIsFoundWhenTheOthersMoveUp) {
  for (uint64_t row = 1; row < kRows; ++row) {
    const std::string number = std::to_string(row);
    EXPECT_EQ(after("DELETE FROM entry WHERE sequence = " + number +
                    "; UPDATE entry SET sequence = sequence - 1 WHERE sequence > " + number +
                    "; UPDATE head SET count = count - 1")
                  .bad_row,
              row);
  }
}

TEST_F(LedgerTamper, SwappedRowsAreFound) {
  for (uint64_t row = 1; row < kRows; ++row) {
    const std::string a = std::to_string(row), b = std::to_string(row + 1);
    EXPECT_EQ(after("UPDATE entry SET sequence = 99 WHERE sequence = " + a + "; UPDATE entry SET sequence = " + a +
                    " WHERE sequence = " + b + "; UPDATE entry SET sequence = " + b + " WHERE sequence = 99")
                  .bad_row,
              row);
  }
}

TEST_F(LedgerTamper, AnInsertedRowIsFound) {
  EXPECT_EQ(after("CREATE TEMP TABLE copy AS SELECT * FROM entry WHERE sequence = 6; UPDATE copy SET sequence = 7; "
                  "INSERT INTO entry SELECT * FROM copy; UPDATE head SET count = 7")
                .bad_row,
            7u);
  EXPECT_FALSE(after("CREATE TEMP TABLE copy AS SELECT * FROM entry WHERE sequence = 6; UPDATE copy SET sequence = 0; "
                     "INSERT INTO entry SELECT * FROM copy")
                   .whole());
}

TEST_F(LedgerTamper, ATruncatedTailIsFound) {
  EXPECT_EQ(after("DELETE FROM entry WHERE sequence > 4").bad_row, 5u);
  // With a head that fits, only a note of the true one tells.
  const Ledger::Verification result = after(
      "DELETE FROM entry WHERE sequence > 4; UPDATE head SET count = 4, digest = (SELECT digest FROM entry WHERE "
      "sequence = "
      "4)");
  EXPECT_TRUE(result.whole());
  EXPECT_FALSE(Ledger(path_).verify(noted_).whole());
}

TEST_F(LedgerTamper, AnEditedHeadIsFound) {
  EXPECT_FALSE(after("UPDATE head SET count = 5").whole());
  EXPECT_FALSE(after("UPDATE head SET count = 7").whole());
  EXPECT_FALSE(after("UPDATE head SET digest = 'x'").whole());
  EXPECT_FALSE(after("UPDATE head SET digest = (SELECT digest FROM entry WHERE sequence = 5)").whole());
  EXPECT_FALSE(after("DELETE FROM head").whole());
  expect_closed();
}

TEST_F(LedgerTamper, AChangedTotalIsFound) {
  EXPECT_EQ(after("UPDATE entry SET amount = '1000' WHERE sequence = 1").bad_row, 1u);
  expect_closed();
}

TEST_F(LedgerTamper, MissingOrForeignTriggersAndTablesAreFound) {
  for (const char* sql :
       {"CREATE TRIGGER leak AFTER INSERT ON entry BEGIN DELETE FROM entry WHERE sequence = NEW.sequence; END",
        "CREATE TABLE other (x)", "CREATE INDEX fast ON entry (digest)", "ALTER TABLE entry ADD COLUMN more TEXT"}) {
    EXPECT_FALSE(after(sql).whole()) << sql;
    expect_closed();
  }
  std::filesystem::copy_file(original_, path_, std::filesystem::copy_options::overwrite_existing);
  { const RawLedger raw(path_, RawLedger::Guards::lift_for_good); }
  EXPECT_FALSE(Ledger(path_).verify().whole());
  expect_closed();
}

TEST_F(LedgerTamper, TheTriggersRefuseChanges) {
  for (const char* sql :
       {"UPDATE entry SET amount = '9' WHERE sequence = 1", "DELETE FROM entry WHERE sequence = 6", "DELETE FROM head",
        "UPDATE head SET count = 3", "INSERT OR REPLACE INTO head VALUES (1, 0, '')",
        "INSERT OR REPLACE INTO entry SELECT * FROM entry WHERE sequence = 2",
        "INSERT INTO entry SELECT 9, * FROM (SELECT kind, dataset, reservation, notion, amount, delta, relation, "
        "epsilon, "
        "bounded_range, rho, mu_squared, approximate_epsilon, approximate_delta, is_private, purpose, time, "
        "model_digest, "
        "previous, digest FROM entry WHERE sequence = 6)"}) {
    EXPECT_THROW(RawLedger(original_, RawLedger::Guards::keep).execute(sql), std::runtime_error) << sql;
  }
  EXPECT_TRUE(Ledger(original_).verify(noted_).whole());
}

TEST_F(LedgerTamper, AForgedChainStillObeysTheRules) {
  const auto set = [](uint64_t row, const char* column, const char* value) {
    return [=](uint64_t at, EntryFields& fields) {
      if (at == row) field(fields, column) = value;
    };
  };
  EXPECT_EQ(after_forging(set(6, "amount", "0.91")).bad_row, 6u);  // more than the total
  EXPECT_EQ(after_forging(set(1, "amount", "0.25")).bad_row, 6u);  // a total below what is spent
  EXPECT_EQ(after_forging(set(2, "amount", "-0.1")).bad_row, 2u);  // a refund
  EXPECT_EQ(after_forging(set(2, "amount", "abc")).bad_row, 2u);
  EXPECT_EQ(after_forging(set(2, "notion", "other")).bad_row, 2u);
  EXPECT_EQ(after_forging(set(2, "kind", "other")).bad_row, 2u);
  EXPECT_EQ(after_forging(set(2, "dataset", "trees")).bad_row, 2u);
  EXPECT_EQ(after_forging(set(2, "relation", "replace-in-class")).bad_row, 2u);
  EXPECT_EQ(after_forging(set(2, "is_private", "perhaps")).bad_row, 2u);
  EXPECT_EQ(after_forging(set(3, "reservation", "1")).bad_row, 3u);
  EXPECT_EQ(after_forging(set(3, "reservation", "99")).bad_row, 3u);
  EXPECT_EQ(after_forging(set(4, "dataset", "flowers")).bad_row, 4u);
  EXPECT_EQ(after_forging(set(5, "rho", "-1")).bad_row, 5u);
}

TEST_F(LedgerTamper, OnlyANotedHeadFindsAForgedChain) {
  const Ledger::Verification result = after_forging([](uint64_t row, EntryFields& fields) {
    if (row == 6) field(fields, "amount") = "0.01";
  });
  EXPECT_TRUE(result.whole()) << "docs/ledger.md says that an unkeyed chain cannot find this: " << result.problem;
  EXPECT_FALSE(Ledger(path_).verify(noted_).whole());
  EXPECT_TRUE(Ledger(original_).verify(noted_).whole());
  // A head noted earlier stays on the chain as it grows.
  Ledger(original_).reserve("flowers", BudgetSpec::pure(Rational(1, 10)), "fit public");
  EXPECT_TRUE(Ledger(original_).verify(noted_).whole());
  EXPECT_FALSE(Ledger(original_).verify("").whole());
}

class LedgerDamage : public LedgerTamper {
 protected:
  LedgerDamage() {
    std::ifstream in(original_, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(in), {});
  }
  // Whether it is found, by verify or by failing to open.
  bool found(const std::string& damaged) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << damaged;
    try {
      return !Ledger(path_).verify(noted_).whole();
    } catch (const Error&) {
      return true;
    }
  }
  std::string bytes_;
};

TEST_F(LedgerDamage, ATruncatedFileIsFound) {
  for (size_t size = 0; size < bytes_.size(); size += 512) EXPECT_TRUE(found(bytes_.substr(0, size))) << size;
  EXPECT_TRUE(found(bytes_.substr(0, bytes_.size() - 1)));
  EXPECT_FALSE(found(bytes_));
}

TEST_F(LedgerDamage, AChangedByteIsFoundOrChangesNothingThatIsRead) {
  // Bytes that no row uses (free space, counters of SQLite) may change without harm.
  std::mt19937 random(1);
  int found_ones = 0;
  for (int i = 0; i < 400; ++i) {
    std::string damaged = bytes_;
    const size_t at = random() % damaged.size();
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    if (found(damaged)) {
      ++found_ones;
      continue;
    }
    const Ledger::Contents contents = Ledger(path_).contents();
    EXPECT_EQ(contents.head, noted_) << at;
    EXPECT_EQ(contents.entries.size(), kRows) << at;
    EXPECT_EQ(contents.datasets[0].balance.spent.value, Rational(3, 10)) << at;
  }
  EXPECT_GT(found_ones, 100);
}

}  // namespace
}  // namespace dppl
