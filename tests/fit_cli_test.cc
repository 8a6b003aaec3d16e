// The main job as a user runs it: files in, model out, predictions, errors.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dppl/ledger.h"
#include "dppl/random.h"
#include "support/npy_bytes.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::npy_bytes;
using testing::raw;
using testing::TempDir;

class FitCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    SeededRandom random(5);
    const auto noise = [&random] { return static_cast<float>(random.next64() >> 40) * 0x1p-24f; };
    std::vector<float> train, pool;
    std::vector<int32_t> labels;
    for (int i = 0; i < 200; ++i) {
      labels.push_back(i % 2);
      for (int k = 0; k < 8; ++k) {
        train.push_back(noise() + (k == i % 2 ? 4.0f : 0.0f));
        pool.push_back(noise() + (k == i % 8 ? 4.0f : 0.0f));
      }
    }
    files_.file("x.npy", npy_bytes("<f4", "(200, 8)", raw(train)));
    files_.file("y.npy", npy_bytes("<i4", "(200,)", raw(labels)));
    files_.file("pool.npy", npy_bytes("<f4", "(200, 8)", raw(pool)));
    files_.file("names.txt", "cat\ndog\nbird\n");
    before_ = files_.entries();
  }

  std::vector<std::string> fit_args(std::vector<std::string> more) const {
    std::vector<std::string> args{"fit",       "--train",         path("x.npy"), "--labels",    path("y.npy"),
                                  "--classes", path("names.txt"), "-o",          path("m.dppl")};
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }
  RunResult fit(std::vector<std::string> more) const { return run_program(fit_args(std::move(more))); }
  std::string path(const char* name) const { return files_.path(name); }

  // Exit status 1, one line with these words, no new file.
  void expect_refused(const RunResult& result, const std::string& words) const {
    EXPECT_EQ(result.status, 1) << result.out << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(files_.entries(), before_);
  }

  // Names of directories hold digits of their own.
  std::string without_directory(std::string text) const {
    const std::string directory = files_.path("");
    for (size_t at = text.find(directory); at != std::string::npos; at = text.find(directory))
      text.erase(at, directory.size());
    return text;
  }

  TempDir files_;
  size_t before_ = 0;
};

TEST_F(FitCommand, FitsPredictsAndEvaluatesWithALedger) {
  ASSERT_EQ(run_program({"ledger", "init", "--ledger", path("l"), "--dataset", "d", "--rho", "1"}).status, 0);
  const auto fitted = fit({"--method", "mean", "--rho", "0.6", "--ledger", path("l"), "--dataset", "d", "--json"});
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  const auto told = nlohmann::json::parse(fitted.out);
  EXPECT_EQ(told["method"], "mean");
  EXPECT_EQ(told["private"], true);
  EXPECT_EQ(told["guarantee"]["rho"], 0.6);

  // The reservation and the model's digest are in the ledger, and 0.6 more is refused.
  const auto shown = run_program({"ledger", "show", "--ledger", path("l")});
  EXPECT_NE(shown.out.find(told["digest"].get<std::string>()), std::string::npos) << shown.out;
  const auto again = fit({"--method", "mean", "--rho", "0.6", "--ledger", path("l"), "--dataset", "d"});
  EXPECT_EQ(again.status, 1);
  EXPECT_NE(again.err.find("0.4"), std::string::npos) << again.err;

  const auto evaluated = run_program({"eval", path("m.dppl"), "--in", path("x.npy"), "--labels", path("y.npy"),
                                      "--train-labels", path("y.npy"), "--json"});
  ASSERT_EQ(evaluated.status, 0) << evaluated.err;
  const auto scores = nlohmann::json::parse(evaluated.out);
  EXPECT_EQ(scores["n"], 200);
  EXPECT_GT(scores["balanced_accuracy"], 0.9);
  EXPECT_EQ(scores["per_class"].size(), 3u);

  const auto predicted = run_program(
      {"predict", path("m.dppl"), "--in", path("x.npy"), "-o", path("p.npy"), "--scores", path("s.npy"), "--json"});
  ASSERT_EQ(predicted.status, 0) << predicted.err;
  EXPECT_EQ(nlohmann::json::parse(predicted.out)["n"], 200);
  EXPECT_EQ(testing::read_text(path("s.npy")).size(), 128u + 200 * 3 * 4);
  const auto printed = run_program({"predict", path("m.dppl"), "--in", path("x.npy")});
  EXPECT_EQ(std::count(printed.out.begin(), printed.out.end(), '\n'), 200);
  EXPECT_NE(printed.out.find("dog"), std::string::npos);
}

TEST_F(FitCommand, IsPrivateForPeople) {
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 200; ++i) ids.push_back(i / 5);
  files_.file("ids.npy", npy_bytes("<i8", "(200,)", raw(ids)));
  std::string names;
  for (const int64_t id : ids) names += "p" + std::to_string(id) + "\n";
  files_.file("ids.txt", names);
  ASSERT_EQ(
      run_program({"ledger", "init", "--ledger", path("l"), "--dataset", "d", "--rho", "1", "--unit", "person"}).status,
      0);
  for (const char* people : {"ids.npy", "ids.txt"}) {
    const auto fitted = fit({"--method", "mean", "--rho", "0.25", "--people", path(people), "--ledger", path("l"),
                             "--dataset", "d", "--json"});
    ASSERT_EQ(fitted.status, 0) << fitted.err;
    const auto told = nlohmann::json::parse(fitted.out);
    EXPECT_EQ(told["unit"], "person");
    EXPECT_EQ(told["guarantee"]["rho"], 0.25);
  }
  const auto inspected = run_program({"inspect", path("m.dppl")});
  EXPECT_NE(inspected.out.find("all records of one person"), std::string::npos) << inspected.out;

  // A fit in the other unit is refused, either way, and costs nothing; so is a record without a person.
  const std::vector<std::string> ledger{"--ledger", path("l"), "--dataset", "d"};
  const auto with = [&](std::vector<std::string> args) {
    args.insert(args.end(), ledger.begin(), ledger.end());
    return fit(args);
  };
  const auto for_records = with({"--method", "mean", "--rho", "0.25"});
  EXPECT_EQ(for_records.status, 1);
  EXPECT_NE(for_records.err.find("is for people"), std::string::npos) << for_records.err;
  ids[137] = -1;
  files_.file("missing.npy", npy_bytes("<i8", "(200,)", raw(ids)));
  const auto missing = with({"--method", "mean", "--rho", "0.25", "--people", path("missing.npy")});
  EXPECT_EQ(missing.status, 1);
  EXPECT_NE(missing.err.find("has no person"), std::string::npos) << missing.err;
  EXPECT_EQ(missing.err.find("137"), std::string::npos) << "which record it is stays private: " << missing.err;
  ids.pop_back();
  files_.file("short.npy", npy_bytes("<i8", "(199,)", raw(ids)));
  EXPECT_EQ(with({"--method", "mean", "--rho", "0.25", "--people", path("short.npy")}).status, 1);
  const auto shown = run_program({"ledger", "show", "--ledger", path("l"), "--json"});
  EXPECT_EQ(nlohmann::json::parse(shown.out)["datasets"][0]["spent"]["rho"]["value"], 0.5) << shown.out;
}

TEST_F(FitCommand, WithoutALedgerItSaysSoInOneLine) {
  const auto result = fit({"--rho", "1"});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("No ledger"), std::string::npos);
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

TEST_F(FitCommand, ASeedNeedsTheWordAndIsRepeatable) {
  EXPECT_EQ(fit({"--rho", "1", "--seed", "3"}).status, 2);
  EXPECT_EQ(fit({"--rho", "1", "--not-private"}).status, 2);
  EXPECT_EQ(fit({"--rho", "1", "--seed", "3", "--not-private"}).status, 0);
  const std::string first = testing::read_text(path("m.dppl"));
  const auto again = fit({"--rho", "1", "--seed", "3", "--not-private", "--threads", "1"});
  EXPECT_EQ(testing::read_text(path("m.dppl")), first);
  EXPECT_NE(again.out.find("NOT PRIVATE"), std::string::npos) << again.out;
  EXPECT_NE(run_program({"predict", path("m.dppl"), "--in", path("x.npy")}).err.find("NOT PRIVATE"), std::string::npos);
}

TEST_F(FitCommand, EveryMethodAndOptionRuns) {
  const std::string pool = path("pool.npy");
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--method", "public", "--pool", pool, "--epsilon", "1"},
           {"--method", "public", "--pool", pool, "--epsilon", "1", "--delta", "1e-5", "--mechanism",
            "permute-and-flip"},
           {"--method", "public", "--pool", pool, "--rho", "0.1", "--mechanism", "laplace", "--clip-min", "1.1",
            "--clip-max", "1.9"},
           {"--method", "public-k", "--k", "3", "--pool", pool, "--epsilon", "1", "--transform", "center"},
           {"--method", "mean", "--pool", pool, "--rho", "1", "--transform", "pca:3"},
           {"--method", "mean", "--pool", pool, "--epsilon", "1", "--delta", "1e-6", "--transform", "whiten:3"},
           {"--method", "mean", "--rho", "1", "--transform", "average:2"},
           {"--method", "mean", "--rho", "1", "--metric-share", "0.2"},
           {"--method", "mean", "--pool", pool, "--rho", "1", "--shrink", "on", "--prior-variance", "2"},
           {"--method", "auto", "--pool", pool, "--epsilon", "1"},
           {"--method", "auto", "--pool", pool, "--rho", "0.01"}}) {
    const auto result = fit(more);
    EXPECT_EQ(result.status, 0) << more[1] << ": " << result.err;
    EXPECT_EQ(run_program({"inspect", path("m.dppl"), "--json"}).status, 0);
    EXPECT_EQ(run_program({"eval", path("m.dppl"), "--in", path("x.npy"), "--labels", path("y.npy")}).status, 0);
  }
  // Settings of another method are refused, not ignored.
  const auto other = fit({"--method", "mean", "--rho", "1", "--k", "3"});
  EXPECT_EQ(other.status, 1);
  EXPECT_NE(other.err.find("--k: not a setting of 'mean'"), std::string::npos) << other.err;
}

TEST_F(FitCommand, BadInputIsRefusedAndCostsNothing) {
  expect_refused(fit({"--method", "mean", "--epsilon", "1"}), "pure");
  expect_refused(fit({"--method", "public", "--epsilon", "1"}), "public pool");
  expect_refused(fit({"--method", "magic", "--epsilon", "1"}), "'magic'");
  expect_refused(fit({"--rho", "-1"}), "'-1'");
  expect_refused(fit({"--rho", "0"}), "'0'");
  expect_refused(fit({"--rho", "nan"}), "'nan'");
  expect_refused(fit({"--epsilon", "1", "--delta", "1"}), "δ = 1");
  expect_refused(fit({"--rho", "1", "--transform", "whiten:9", "--pool", path("pool.npy")}), "whiten:9");
  expect_refused(fit({"--rho", "1", "--transform", "shrink"}), "'shrink'");
  expect_refused(fit({"--rho", "1", "--ledger", path("none"), "--dataset", "d"}), "none");
  auto args = fit_args({"--rho", "1"});
  args[2] = path("missing.npy");
  expect_refused(run_program(args), "missing.npy");
  args = fit_args({"--rho", "1"});
  args[6] = "1";
  expect_refused(run_program(args), "label");
  args = fit_args({"--rho", "1"});
  args[8] = path("no/such/directory/m.dppl");
  expect_refused(run_program(args), "no/such/directory");
  args[8] = "/dev/full";
  expect_refused(run_program(args), "/dev/full");
}

TEST_F(FitCommand, AFullDiskIsFoundBeforeTheBudgetIsReserved) {
  const std::string disk = path("disk");
  std::filesystem::create_directory(disk);
  if (run_command({"mount", "-t", "tmpfs", "-o", "size=20k", "tmpfs", disk}).status != 0)
    GTEST_SKIP() << "needs the right to mount a small disk";
  ASSERT_EQ(run_program({"ledger", "init", "--ledger", path("l"), "--dataset", "d", "--rho", "1"}).status, 0);
  auto args = fit_args({"--rho", "1", "--ledger", path("l"), "--dataset", "d"});
  args[8] = disk + "/m.dppl";
  const auto result = run_program(args);
  const bool empty = std::filesystem::is_empty(disk);
  run_command({"umount", disk});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("space"), std::string::npos) << result.err;
  EXPECT_TRUE(empty);
  EXPECT_EQ(run_program({"ledger", "show", "--ledger", path("l")}).out.find("reserved"), std::string::npos);
}

TEST_F(FitCommand, BadRowsAreRefusedBeforeTheLedgerIsCharged) {
  ASSERT_EQ(run_program({"ledger", "init", "--ledger", path("l"), "--dataset", "d", "--rho", "1"}).status, 0);
  ++before_;
  std::vector<float> rows(16, 1.0f);
  std::vector<int32_t> labels{0, 1};
  const auto with = [&](const std::string& x, const std::string& y) {
    files_.file("x.npy", x);
    files_.file("y.npy", y);
    return fit({"--rho", "0.5", "--ledger", path("l"), "--dataset", "d"});
  };
  const std::string y = npy_bytes("<i4", "(2,)", raw(labels));
  rows[3] = std::numeric_limits<float>::quiet_NaN();
  expect_refused(with(npy_bytes("<f4", "(2, 8)", raw(rows)), y), "not finite");
  rows[3] = std::numeric_limits<float>::infinity();
  expect_refused(with(npy_bytes("<f4", "(2, 8)", raw(rows)), y), "not finite");
  std::fill(rows.begin(), rows.end(), 0.0f);
  expect_refused(with(npy_bytes("<f4", "(2, 8)", raw(rows)), y), "zero");
  std::fill(rows.begin(), rows.end(), 1.0f);
  const std::string x = npy_bytes("<f4", "(2, 8)", raw(rows));
  expect_refused(with(x, npy_bytes("<i4", "(2,)", raw(std::vector<int32_t>{0, 3}))), "a label");
  expect_refused(with(x, npy_bytes("<i4", "(1,)", raw(std::vector<int32_t>{0}))), "y.npy");
  expect_refused(with(x.substr(0, x.size() - 4), y), "x.npy");
  expect_refused(with(npy_bytes("<f4", "(99999999999, 99999999999)", raw(rows)), y), "x.npy");
  const auto shown = nlohmann::json::parse(run_program({"ledger", "show", "--ledger", path("l"), "--json"}).out);
  EXPECT_EQ(shown.dump().find("reserve\""), std::string::npos) << shown;
}

// Messages end up in logs: what stands in a private file, where, and how much of it, is for who asks for it.
// Whatever stands at the output's name: an account, an input, another output.
TEST_F(FitCommand, NothingThatIsNeededIsOverwritten) {
  const std::string ledger = path("budget.ledger");
  ASSERT_EQ(run_program({"ledger", "init", "--ledger", ledger, "--dataset", "s", "--rho", "1"}).status, 0);
  const auto before = files_.entries();
  const std::vector<std::string> end{"--method", "mean", "--rho", "0.5", "--ledger", ledger, "--dataset", "s"};
  for (const char* name : {"x.npy", "y.npy", "names.txt", "budget.ledger"}) {
    std::vector<std::string> args = fit_args(end);
    args[8] = path(name);
    const RunResult result = run_program(args);
    EXPECT_EQ(result.status, 1) << name;
    EXPECT_NE(result.err.find("name another file"), std::string::npos) << result.err;
  }
  EXPECT_EQ(files_.entries(), before);
  // Also where the command does not know that it is one.
  const RunResult tail =
      run_program({"longtail", "--labels", path("y.npy"), "--classes", "2", "--ratio", "10", "-o", ledger});
  EXPECT_EQ(tail.status, 1);
  EXPECT_NE(tail.err.find("is a ledger"), std::string::npos) << tail.err;
  EXPECT_EQ(run_program({"ledger", "verify", "--ledger", ledger}).status, 0);
  EXPECT_EQ(Ledger(ledger).status("s").balance.spent.value, 0);
}

// With nothing left to spend, what is refused and why does not depend on the records: the private file is not opened.
TEST_F(FitCommand, AnEmptyBudgetIsRefusedBeforeRecordsAreRead) {
  const std::string ledger = path("budget.ledger");
  ASSERT_EQ(run_program({"ledger", "init", "--ledger", ledger, "--dataset", "s", "--rho", "0.5"}).status, 0);
  const std::vector<std::string> end{"--method", "mean", "--rho", "0.5", "--ledger", ledger, "--dataset", "s"};
  ASSERT_EQ(fit(end).status, 0);
  std::vector<std::string> messages;
  for (const char* labels : {"y.npy", "x.npy", "none.npy"}) {
    std::vector<std::string> args = fit_args(end);
    args[4] = path(labels);
    const RunResult result = run_program(args);
    EXPECT_EQ(result.status, 1);
    messages.push_back(result.err);
  }
  EXPECT_NE(messages[0].find("remaining"), std::string::npos) << messages[0];
  EXPECT_EQ(messages[1], messages[0]);
  EXPECT_EQ(messages[2], messages[0]);
}

// Noise that cannot be drawn, too many digits: all before the reservation.
TEST_F(FitCommand, WhatCannotWorkCostsNothing) {
  const std::string ledger = path("budget.ledger");
  ASSERT_EQ(run_program({"ledger", "init", "--ledger", ledger, "--dataset", "s", "--rho", "1"}).status, 0);
  const std::vector<std::vector<std::string>> ways{
      {"--method", "mean", "--rho", "1e-20"},
      {"--method", "mean", "--rho", "1", "--metric-share", "1e-30"},
      {"--method", "mean", "--rho", "1", "--metric-share", "0.999999999999999999999999999"},
      {"--method", "public", "--mechanism", "laplace", "--rho", "1e-40", "--pool", path("pool.npy")},
      {"--method", "mean", "--rho", "0.1" + std::string(200, '3')},
  };
  for (const std::vector<std::string>& way : ways) {
    std::vector<std::string> args = fit_args(way);
    args.insert(args.end(), {"--ledger", ledger, "--dataset", "s"});
    const RunResult result = run_program(args);
    EXPECT_EQ(result.status, 1) << way[1];
    EXPECT_EQ(Ledger(ledger).contents().entries.size(), 1u) << result.err;
  }
  EXPECT_EQ(fit({"--method", "mean", "--rho", "1", "--ledger", "", "--dataset", ""}).status, 2);
}

TEST_F(FitCommand, ErrorsTellNoRecordUnlessAsked) {
  struct Case {
    std::string x, y, rows;
    std::vector<std::string> detail;
  };
  const std::string x = testing::read_text(path("x.npy")), y = testing::read_text(path("y.npy"));
  std::vector<float> with_nan(1600, 1);
  with_nan[123 * 8 + 5] = std::numeric_limits<float>::quiet_NaN();
  std::vector<int32_t> labels(200);
  labels[137] = 98765;
  const auto entries = [](int64_t entry) { return npy_bytes("<i8", "(2,)", raw(std::vector<int64_t>{3, entry})); };
  const std::vector<Case> cases{{x, npy_bytes("<i4", "(200,)", raw(labels)), "", {"137", "98765"}},
                                {x, npy_bytes("<i4", "(197,)", raw(std::vector<int32_t>(197))), "", {"197", "200"}},
                                {npy_bytes("<f4", "(200, 8)", raw(with_nan)), y, "", {"123", "nan", "position 5"}},
                                {x.substr(0, x.size() - 4), y, "", {"200", "6396", "6400"}},
                                {x, y, entries(777), {"777", "200"}},
                                {x, y, entries(3), {"row 3"}}};
  for (const Case& one : cases) {
    files_.file("x.npy", one.x);
    files_.file("y.npy", one.y);
    std::vector<std::string> more{"--rho", "1"};
    if (!one.rows.empty()) more.insert(more.end(), {"--rows", files_.file("rows.npy", one.rows)});
    const std::string hidden = fit(more).err;
    more.push_back("--show-private-errors");
    const std::string shown = fit(more).err;
    EXPECT_NE(hidden.find("--show-private-errors tells where"), std::string::npos) << hidden;
    for (const std::string& word : one.detail) {
      EXPECT_EQ(without_directory(hidden).find(word), std::string::npos) << word << " in: " << hidden;
      EXPECT_NE(shown.find(word), std::string::npos) << word << " not in: " << shown;
    }
  }
}

// The same by name, and in the other commands that read records.
TEST_F(FitCommand, ErrorsTellNoLabelByNameUnlessAsked) {
  ASSERT_EQ(fit({"--rho", "1", "--seed", "1", "--not-private"}).status, 0);
  std::string names;
  for (int i = 0; i < 200; ++i) names += i == 150 ? "Otter\n" : "cat\n";
  const std::string y = files_.file("names-of-rows.txt", names), classes = path("names.txt");
  auto fit_by_name = fit_args({"--rho", "1"});
  fit_by_name[4] = y;
  for (std::vector<std::string> command : std::vector<std::vector<std::string>>{
           fit_by_name,
           {"eval", path("m.dppl"), "--in", path("x.npy"), "--labels", y},
           {"longtail", "--labels", y, "--classes", classes, "--ratio", "2", "-o", path("idx.npy")},
           {"report", path("m.dppl"), "--in", path("x.npy"), "--labels", y, "-o", path("r.html")}}) {
    const RunResult hidden = run_program(command);
    EXPECT_EQ(hidden.status, 1);
    EXPECT_NE(hidden.err.find("not one of the 3 classes"), std::string::npos) << hidden.err;
    EXPECT_EQ(without_directory(hidden.err).find("Otter"), std::string::npos) << hidden.err;
    EXPECT_EQ(without_directory(hidden.err).find("151"), std::string::npos) << hidden.err;
    command.push_back("--show-private-errors");
    const RunResult shown = run_program(command);
    EXPECT_EQ(shown.status, 1);
    EXPECT_NE(shown.err.find("line 151 is 'Otter'"), std::string::npos) << shown.err;
  }
}

TEST_F(FitCommand, HelpTeachesAndWrongUsageIsTwo) {
  for (const char* command : {"fit", "predict", "eval", "inspect", "longtail", "account", "ledger", "audit"}) {
    const auto help = run_program({command, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_NE(help.out.find("dppl "), std::string::npos) << command;
    EXPECT_EQ(run_program({command, "--no-such-option"}).status, 2) << command;
  }
  EXPECT_EQ(run_program({"fit"}).status, 2);
  EXPECT_EQ(fit({}).status, 2);
  EXPECT_EQ(fit({"--rho", "1", "--epsilon", "1"}).status, 2);
  EXPECT_EQ(run_program({"predict", path("nothing.dppl"), "--in", path("x.npy")}).status, 1);
  EXPECT_EQ(run_program({"predict", path("x.npy"), "--in", path("x.npy")}).status, 1);
}

}  // namespace
}  // namespace dppl
