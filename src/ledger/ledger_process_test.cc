// What the ledger promises to processes that race, crash or are killed.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <random>
#include <thread>

#include "dppl/error.h"
#include "dppl/ledger.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

// A child that reports row numbers to its parent through a pipe.
class Child {
 public:
  using Report = std::function<void(uint64_t)>;
  explicit Child(const std::function<void(const Report&)>& work) {
    int ends[2];
    if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    pid_ = fork();
    if (pid_ == 0) run(work, ends[1]);
    close(ends[1]);
    reader_ = ends[0];
  }
  ~Child() { close(reader_); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void kill() const { ::kill(pid_, SIGKILL); }
  // As waitpid() tells.
  int wait() const {
    int status = -1;
    waitpid(pid_, &status, 0);
    return status;
  }
  // All that was reported; call after wait().
  std::vector<uint64_t> reports() const {
    std::vector<uint64_t> all;
    uint64_t value = 0;
    while (read(reader_, &value, sizeof value) == sizeof value) all.push_back(value);
    return all;
  }

 private:
  [[noreturn]] static void run(const std::function<void(const Report&)>& work, int writer) {
    try {
      work([&](uint64_t value) {
        if (write(writer, &value, sizeof value) != sizeof value) _exit(3);
      });
    } catch (const std::exception& error) {
      fmt::print(stderr, "child: {}\n", error.what());
      _exit(2);
    }
    _exit(0);
  }
  pid_t pid_ = -1;
  int reader_ = -1;
};

TEST(LedgerProcesses, EightAtOnceNeverOverspend) {
  const testing::TempDir directory;
  const std::filesystem::path path = directory.path("budget.ledger");
  Ledger::create_dataset(path, "flowers", BudgetSpec::pure(1));
  std::vector<std::unique_ptr<Child>> children;
  for (int c = 0; c < 8; ++c) {
    children.push_back(std::make_unique<Child>([&](const Child::Report& report) {
      Ledger ledger(path, std::chrono::minutes(2));
      for (int i = 0; i < 10; ++i) {
        try {
          report(ledger.reserve("flowers", BudgetSpec::pure(Rational(1, 40)), "race").id());
        } catch (const BudgetExceeded&) {
          report(0);
        }
      }
    }));
  }
  size_t passed = 0, refused = 0;
  for (const auto& child : children) {
    EXPECT_EQ(child->wait(), 0);
    for (const uint64_t row : child->reports()) ++(row == 0 ? refused : passed);
  }
  EXPECT_EQ(passed, 40u);
  EXPECT_EQ(refused, 40u);
  EXPECT_EQ(Ledger(path).contents().entries.size(), 41u);
  EXPECT_EQ(Ledger(path).status("flowers").balance.remaining.value, 0);
  EXPECT_TRUE(Ledger(path).verify().whole());
}

std::chrono::microseconds time_of_a_reservation(const std::filesystem::path& path) {
  Ledger::create_dataset(path, "flowers", BudgetSpec::pure(1));
  Ledger ledger(path);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 5; ++i) ledger.reserve("flowers", BudgetSpec::pure(Rational(1, 10)), "warm up");
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start) / 5;
}

// Kills a process that reserves without end, `kills` times on one ledger, each at a random instant up to `longest`.
// After each kill the ledger must be whole and hold every reservation that the process had been told of, and at most
// one more. Returns how many it had been told of.
size_t survive_kills(const std::filesystem::path& path, int kills, std::chrono::microseconds longest,
                     std::mt19937& random) {
  Ledger::create_dataset(path, "flowers", BudgetSpec::pure(1));
  const BudgetSpec cost = BudgetSpec::pure(Rational(1, 1000000));
  size_t rows = 1, acknowledged = 0;
  for (int i = 0; i < kills; ++i) {
    const Child child([&](const Child::Report& report) {
      Ledger ledger(path);
      while (true) report(ledger.reserve("flowers", cost, "until killed").id());
    });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % static_cast<unsigned long>(longest.count())));
    child.kill();
    EXPECT_TRUE(WIFSIGNALED(child.wait()));

    const Ledger ledger(path);
    const Ledger::Verification verification = ledger.verify();
    EXPECT_TRUE(verification.whole()) << verification.problem;
    const std::vector<uint64_t> reports = child.reports();
    for (size_t r = 0; r < reports.size(); ++r) EXPECT_EQ(reports[r], rows + r + 1);
    EXPECT_GE(verification.rows, rows + reports.size());
    EXPECT_LE(verification.rows, rows + reports.size() + 1);
    rows = verification.rows;
    acknowledged += reports.size();
    EXPECT_EQ(ledger.status("flowers").balance.spent.value, cost.amount * Rational(rows - 1));
  }
  return acknowledged;
}

TEST(LedgerProcesses, WhatWasAcknowledgedSurvives200Kills) {
  const testing::TempDir directory;
  std::mt19937 random(7);
  // A slow disk gets more time, and so does a busy machine, so that everywhere some reservations pass before the kill.
  auto longest = std::max(std::chrono::microseconds(15000), 4 * time_of_a_reservation(directory.path("speed.ledger")));
  size_t acknowledged = 0;
  // Ten ledgers, so that they stay short and most of the time goes into writing.
  for (int i = 0; i < 10; ++i) {
    const size_t more = survive_kills(directory.path(fmt::format("{}.ledger", i)), 20, longest, random);
    if (more < 20) longest *= 2;
    acknowledged += more;
  }
  EXPECT_GT(acknowledged, 100u) << "the kills came too early to test anything";
}

TEST(LedgerProcesses, AKilledInitLeavesNothingInTheWay) {
  const testing::TempDir directory;
  std::mt19937 random(8);
  for (int i = 0; i < 50; ++i) {
    const std::filesystem::path path = directory.path(fmt::format("{}.ledger", i));
    const Child child([&](const Child::Report&) { Ledger::create_dataset(path, "flowers", BudgetSpec::pure(1)); });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    child.kill();
    child.wait();
    try {
      Ledger::create_dataset(path, "flowers", BudgetSpec::pure(1));
    } catch (const InvalidInput&) {
      // It was faster than the kill.
    }
    EXPECT_EQ(Ledger(path).contents().entries.size(), 1u);
    EXPECT_TRUE(Ledger(path).verify().whole());
  }
}

TEST(LedgerProcesses, AWriteProtectedLedgerCanBeReadButNotSpentFrom) {
  const testing::TempDir directory;
  const std::filesystem::path path = directory.path("budget.ledger");
  Ledger::create_dataset(path, "flowers", BudgetSpec::pure(1));
  std::filesystem::permissions(directory.path("."), std::filesystem::perms(0755));
  std::filesystem::permissions(path, std::filesystem::perms(0444));
  constexpr uint64_t kRead = 1, kRefused = 2;
  const Child child([&](const Child::Report& report) {
    // Permissions do not bind the superuser.
    if (geteuid() == 0 && setuid(65534) != 0) return;
    if (Ledger(path).verify().whole()) report(kRead);
    try {
      Ledger(path).reserve("flowers", BudgetSpec::pure(Rational(1, 10)), "fit public");
    } catch (const IoError&) {
      report(kRefused);
    }
  });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(child.reports(), (std::vector{kRead, kRefused}));
}

using Fit = std::function<void(Budget)>;
using Workflow = std::function<void(Ledger&, const Fit&)>;

// The check that a workflow reserves before it fits: whether a crash in the fit leaves the cost spent.
bool spent_after_crash_in_fit(const Workflow& workflow) {
  const testing::TempDir directory;
  const std::filesystem::path path = directory.path("budget.ledger");
  Ledger::create_dataset(path, "flowers", BudgetSpec::pure(1));
  const Child child([&](const Child::Report&) {
    Ledger ledger(path);
    workflow(ledger, [](Budget) { raise(SIGKILL); });
  });
  EXPECT_TRUE(WIFSIGNALED(child.wait())) << "the workflow did not reach its fit";
  return Ledger(path).status("flowers").balance.spent.value == Rational(1, 2);
}

TEST(LedgerProcesses, ACrashInTheFitLeavesItSpent) {
  const BudgetSpec cost = BudgetSpec::pure(Rational(1, 2));
  EXPECT_TRUE(spent_after_crash_in_fit([&](Ledger& ledger, const Fit& fit) {
    Reservation reservation = ledger.reserve("flowers", cost, "fit public");
    fit(reservation.take_budget());
    ledger.record(reservation, cost.as_guarantee(), "00ff");
  }));
}

TEST(LedgerProcesses, TheCheckCatchesAWorkflowThatFitsFirst) {
  const BudgetSpec cost = BudgetSpec::pure(Rational(1, 2));
  EXPECT_FALSE(spent_after_crash_in_fit([&](Ledger& ledger, const Fit& fit) {
    fit(Budget::unledgered(cost));
    ledger.reserve("flowers", cost, "fit public");
  }));
}

}  // namespace
}  // namespace dppl
