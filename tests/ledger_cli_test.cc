#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "dppl/ledger.h"
#include "support/raw_ledger.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using Json = nlohmann::json;

class LedgerCommand : public ::testing::Test {
 protected:
  testing::TempDir directory_;
  std::string file_ = directory_.path("budget.ledger");

  RunResult run(const std::string& action, std::vector<std::string> rest = {}) {
    std::vector<std::string> arguments = {"ledger", action, "--ledger", file_};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    return run_program(arguments);
  }
  // Refused with one line that holds every part.
  void expect_refused(const RunResult& result, const std::vector<std::string>& parts) {
    EXPECT_EQ(result.status, 1) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    for (const std::string& part : parts)
      EXPECT_NE(result.err.find(part), std::string::npos) << part << ": " << result.err;
  }
};

TEST_F(LedgerCommand, InitShowVerifyGoTogether) {
  ASSERT_EQ(run("init", {"--dataset", "flowers", "--epsilon", "1"}).status, 0);
  ASSERT_EQ(run("init", {"--dataset", "scans", "--rho", "0.5"}).status, 0);
  Ledger ledger(file_);
  Guarantee seeded = Guarantee::pure(Rational(1, 10));
  seeded.is_private = false;
  Reservation reservation = ledger.reserve("flowers", BudgetSpec::pure(Rational(1, 10)), seeded, "fit public");
  ledger.record(reservation, seeded, "beef");

  const RunResult text = run("show");
  EXPECT_EQ(text.status, 0);
  for (const char* part :
       {"flowers: total ε = 1", "spent      ε = 0.1\n", "remaining  ε = 0.9\n", "'fit public'", "beef", "not private",
        "scans: total ρ = 0.5, unit record, neighbours add-remove\n", "4 rows, head "}) {
    EXPECT_NE(text.out.find(part), std::string::npos) << part << " in:\n" << text.out;
  }
  const RunResult one = run("show", {"--dataset", "scans"});
  EXPECT_EQ(one.out.find("flowers"), std::string::npos) << one.out;
  expect_refused(run("show", {"--dataset", "trees"}), {file_, "'trees'"});

  const Json json = Json::parse(run("show", {"--json"}).out);
  EXPECT_EQ(json["rows"], 4);
  EXPECT_EQ(json["head"], ledger.contents().head);
  const Json flowers = json["datasets"][0];
  EXPECT_EQ(flowers["name"], "flowers");
  EXPECT_EQ(flowers["unit"], "record");
  EXPECT_EQ(flowers["total"]["notion"], "pure");
  EXPECT_EQ(flowers["spent"]["epsilon"]["exact"], "0.1");
  EXPECT_EQ(flowers["spent"]["epsilon"]["value"], 0.1);
  EXPECT_EQ(flowers["remaining"]["epsilon"]["exact"], "0.9");
  EXPECT_EQ(flowers["entries"][1]["private"], false);
  EXPECT_EQ(flowers["entries"][2]["reservation"], 3);

  const RunResult verified = run("verify");
  EXPECT_EQ(verified.status, 0);
  EXPECT_EQ(verified.out, "whole: 4 rows, head " + ledger.contents().head + "\n");
  EXPECT_EQ(run("verify", {"--head", reservation.digest()}).status, 0);
  EXPECT_EQ(Json::parse(run("verify", {"--json"}).out)["whole"], true);
}

TEST_F(LedgerCommand, VerifyNamesTheFirstBadRow) {
  make_sample_ledger(file_);
  expect_refused(run("verify", {"--head", "0123"}), {file_, "noted head"});
  RawLedger(file_).execute("UPDATE entry SET amount = '0.01' WHERE sequence IN (2, 6)");
  expect_refused(run("verify"), {file_, "row 2"});
  expect_refused(run("show"), {file_, "row 2"});
  const RunResult json = run("verify", {"--json"});
  EXPECT_EQ(json.status, 1);
  EXPECT_EQ(Json::parse(json.out)["whole"], false);
  EXPECT_EQ(Json::parse(json.out)["row"], 2);
}

TEST_F(LedgerCommand, EveryKindOfTotalIsTaken) {
  EXPECT_EQ(run("init", {"--dataset", "a", "--epsilon", "0.1"}).status, 0);
  EXPECT_EQ(run("init", {"--dataset", "b", "--epsilon", "1", "--delta", "1e-5"}).status, 0);
  EXPECT_EQ(run("init", {"--dataset", "c", "--rho", "1/8"}).status, 0);
  EXPECT_EQ(run("init", {"--dataset", "d", "--mu", "0.5"}).status, 2);
  const auto datasets = Ledger(file_).contents().datasets;
  ASSERT_EQ(datasets.size(), 3u);
  EXPECT_EQ(datasets[0].total, BudgetSpec::pure(Rational(1, 10)));
  EXPECT_EQ(datasets[1].total, BudgetSpec::approximate(1, Rational(1, 100000)));
  EXPECT_EQ(datasets[2].total, BudgetSpec::zcdp(Rational(1, 8)));
  EXPECT_EQ(run("show", {"--json"}).status, 0);
}

TEST_F(LedgerCommand, ADataSetMayBeForPeople) {
  const RunResult made = run("init", {"--dataset", "scans", "--rho", "0.5", "--unit", "person"});
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_NE(made.out.find("may spend ρ = 0.5 (unit person, neighbours add-remove-person)"), std::string::npos)
      << made.out;
  ASSERT_EQ(run("init", {"--dataset", "flowers", "--epsilon", "1", "--unit", "record"}).status, 0);
  const auto datasets = Ledger(file_).contents().datasets;
  EXPECT_EQ(datasets[0].total, BudgetSpec::zcdp(Rational(1, 2), Relation::add_remove_person));
  EXPECT_EQ(datasets[1].total, BudgetSpec::pure(1));
  EXPECT_NE(run("show").out.find("scans: total ρ = 0.5, unit person, neighbours add-remove-person\n"),
            std::string::npos);
  const Json scans = Json::parse(run("show", {"--json"}).out)["datasets"][0];
  EXPECT_EQ(scans["unit"], "person");
  EXPECT_EQ(scans["relation"], "add-remove-person");
  EXPECT_EQ(run("verify").status, 0);
}

TEST_F(LedgerCommand, BadInputIsRefusedInOneLine) {
  expect_refused(run("init", {"--dataset", "", "--epsilon", "1"}), {"data set name", "empty"});
  expect_refused(run("init", {"--dataset", "a\nb", "--epsilon", "1"}), {"data set name", "control"});
  expect_refused(run("init", {"--dataset", std::string(201, 'x'), "--epsilon", "1"}), {"201 bytes"});
  expect_refused(run("init", {"--dataset", "x", "--epsilon", "0"}), {"--epsilon", "above 0"});
  expect_refused(run("init", {"--dataset", "x", "--epsilon", "nan"}), {"--epsilon"});
  expect_refused(run("init", {"--dataset", "x", "--epsilon", "1", "--delta", "1"}), {"δ"});
  expect_refused(run("init", {"--dataset", "x", "--epsilon", "1", "--unit", "family"}),
                 {"'family'", "record or person"});
  EXPECT_FALSE(std::filesystem::exists(file_));
  ASSERT_EQ(run("init", {"--dataset", "x", "--epsilon", "1"}).status, 0);
  expect_refused(run("init", {"--dataset", "x", "--epsilon", "2"}), {"'x'", "already"});
}

TEST_F(LedgerCommand, WrongUsageIsStatusTwo) {
  EXPECT_EQ(run_program({"ledger"}).status, 2);
  EXPECT_EQ(run_program({"ledger", "show"}).status, 2);
  EXPECT_EQ(run("init", {"--dataset", "x"}).status, 2);
  EXPECT_EQ(run("init", {"--epsilon", "1"}).status, 2);
  EXPECT_EQ(run("init", {"--dataset", "x", "--epsilon", "1", "--rho", "1"}).status, 2);
  EXPECT_EQ(run("init", {"--dataset", "x", "--rho", "1", "--delta", "1e-5"}).status, 2);
  EXPECT_FALSE(std::filesystem::exists(file_));
  for (const char* action : {"init", "show", "verify"}) {
    const RunResult help = run_program({"ledger", action, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_NE(help.out.find("Example:"), std::string::npos);
  }
}

TEST_F(LedgerCommand, FilesThatAreNoLedgerAreRefusedInOneLine) {
  const auto expect_all_refused = [&](const std::string& why) {
    for (const char* action : {"show", "verify"}) expect_refused(run(action), {file_, why});
  };
  expect_all_refused("no such file");
  std::ofstream(file_)
      << "this is a text file, and a fairly long one, so that there is enough for a header of a hundred bytes";
  expect_all_refused("not a dppl ledger");
  expect_refused(run("init", {"--dataset", "x", "--rho", "1"}), {"not a dppl ledger"});
  std::filesystem::remove(file_);
  std::ofstream(file_) << "";
  expect_all_refused("not a dppl ledger");
  std::filesystem::remove(file_);
  make_sample_ledger(file_);
  std::filesystem::resize_file(file_, std::filesystem::file_size(file_) / 2);
  expect_all_refused("damaged");
  std::filesystem::remove(file_);
  make_sample_ledger(file_);
  RawLedger(file_).execute("PRAGMA user_version = 2");
  expect_all_refused("format 2");
  std::filesystem::remove(file_);
  std::filesystem::create_directory(file_);
  expect_all_refused("is a directory");
}

}  // namespace
}  // namespace dppl
