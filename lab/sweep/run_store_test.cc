#include "lab/sweep/run_store.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "dppl/error.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::read_text;
using testing::TempDir;

SweepRow row_of(const std::string& method, const std::string& status = "ok") {
  SweepRow row;
  row.method = method;
  row.settings = "{}";
  row.status = status;
  return row;
}

TEST(RunStore, AClaimIsForOneAtATime) {
  const TempDir dir;
  RunStore one(dir.path("a")), other(dir.path("a")), elsewhere(dir.path("b"));
  {
    const auto claim = one.claim("run");
    ASSERT_TRUE(claim);
    EXPECT_FALSE(other.claim("run"));
    EXPECT_FALSE(one.claim("run")) << "nor does another thread";
    EXPECT_TRUE(other.claim("another run"));
    EXPECT_TRUE(elsewhere.claim("run"));
  }
  EXPECT_TRUE(other.claim("run"));
}

TEST(RunStore, AKilledProcessClaimsNothing) {
  const TempDir dir;
  RunStore store(dir.path("a"));
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    RunStore theirs(dir.path("a"));
    const auto claim = theirs.claim("run");
    [[maybe_unused]] const ssize_t told = ::write(ready[1], claim ? "1" : "0", 1);
    ::pause();
    ::_exit(0);
  }
  char claimed = 0;
  ASSERT_EQ(::read(ready[0], &claimed, 1), 1);
  EXPECT_EQ(claimed, '1');
  EXPECT_FALSE(store.claim("run"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(store.claim("run"));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(RunStore, WhatOthersFinishedIsKnownOnceRead) {
  const TempDir dir;
  RunStore one(dir.path("a")), other(dir.path("a"));
  one.append("1", row_of("first"));
  EXPECT_FALSE(other.find("1"));
  other.read_new();
  ASSERT_TRUE(other.find("1"));
  EXPECT_EQ(other.find("1")->method, "first");
  other.append("2", row_of("second", "failed"));
  one.read_new();
  EXPECT_EQ(one.find("2")->status, "failed") << "just now";
  EXPECT_FALSE(RunStore(dir.path("a")).find("2")) << "what failed before is tried again";
}

TEST(RunStore, HalfALineNeverCounts) {
  const TempDir dir;
  RunStore one(dir.path("a")), other(dir.path("a"));
  one.append("1", row_of("first"));
  const std::string whole = read_text(dir.path("a/runs.jsonl"));
  for (size_t half = 1; half < whole.size(); half += 7) {
    std::ofstream(dir.path("a/runs.jsonl"), std::ios::binary | std::ios::app) << whole.substr(0, half);
    other.read_new();
    RunStore later(dir.path("a"));
    EXPECT_TRUE(later.find("1"));
    other.append("n" + std::to_string(half), row_of("next"));
    one.read_new();
    EXPECT_EQ(one.find("n" + std::to_string(half))->method, "next");
  }
  std::ofstream(dir.path("a/runs.jsonl"), std::ios::binary | std::ios::app) << "no run\n{\"key\":1,\"row\":\"x\"}\n";
  one.append("last", row_of("last"));
  other.read_new();
  EXPECT_TRUE(other.find("last"));
}

TEST(RunStore, ManyWriteLinesOneAfterTheOther) {
  const TempDir dir;
  constexpr int kWriters = 4, kLines = 25;
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      RunStore store(dir.path("a"));
      for (int i = 0; i < kLines; ++i) store.append(std::to_string(w * kLines + i), row_of(std::string(3000, 'x')));
    });
  }
  for (std::thread& writer : writers) writer.join();
  const RunStore all(dir.path("a"));
  for (int i = 0; i < kWriters * kLines; ++i) EXPECT_TRUE(all.find(std::to_string(i))) << i;
}

TEST(RunStore, AFullDiskIsSaidAndLeavesNoHalfLine) {
  const TempDir dir;
  RunStore(dir.path("a")).append("1", row_of("first"));
  const std::string whole = read_text(dir.path("a/runs.jsonl"));
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit little{whole.size() + 10, whole.size() + 10};
    ::setrlimit(RLIMIT_FSIZE, &little);
    RunStore store(dir.path("a"));
    try {
      store.append("2", row_of("second"));
    } catch (const IoError&) {
      ::_exit(7);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  EXPECT_EQ(read_text(dir.path("a/runs.jsonl")), whole);
}

}  // namespace
}  // namespace dppl
