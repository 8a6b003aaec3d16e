#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "support/run_program.h"
#include "support/running_program.h"
#include "support/small_sweep.h"

namespace dppl {
namespace {

using testing::read_text;
using testing::TempDir;
using testing::without_seconds;
using testing::write_natural_data;
using testing::write_small_data;
using testing::write_small_plan;

constexpr std::string_view kMethods = R"([[method]]
name = "mean"
settings.shrink = [true, false]
[[method]]
name = "broken"
kind = "mean"
transform = "pca:9"
[[method]]
name = "reference"
kind = "class-mean"
)";

TEST(SweepCommand, WritesTableReportAndFigures) {
  const TempDir dir;
  write_small_data(dir);
  const std::string plan = write_small_plan(dir, kMethods);
  const RunResult done = run_program({"sweep", plan, "-o", dir.path("out")});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_NE(done.out.find("mean, shrink = on"), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("±"), std::string::npos) << done.out;
  EXPECT_NE(done.err.find("warning: 8 of 28 runs failed"), std::string::npos) << done.err;
  EXPECT_GT(std::filesystem::file_size(dir.path("out/report.html")), 0u);
  const std::string csv = read_text(dir.path("out/results.csv"));

  const RunResult again = run_program({"sweep", plan, "-o", dir.path("out"), "--json", "--threads", "1"});
  ASSERT_EQ(again.status, 0) << again.err;
  const auto json = nlohmann::json::parse(again.out);
  EXPECT_EQ(json.at("runs"), 28);
  EXPECT_EQ(json.at("failed"), 8);
  EXPECT_EQ(json.at("taken_over"), 20);
  EXPECT_EQ(json.at("private"), false);
  EXPECT_EQ(json.at("results"), dir.path("out/results.csv"));
  EXPECT_EQ(json.at("table").size(), 2u * (3 * 2 + 1));
  EXPECT_EQ(json.at("table").at(0).at("runs"), 2);
  EXPECT_TRUE(json.at("table").at(0).contains("balanced_error"));
  for (const auto& figure : json.at("figures")) EXPECT_TRUE(std::filesystem::exists(figure.get<std::string>()));
  EXPECT_EQ(read_text(dir.path("out/results.csv")), csv);
}

TEST(SweepCommand, TakesDataAsTheyCome) {
  const TempDir dir;
  const std::string plan =
      write_small_plan(dir, write_natural_data(dir) + "[[method]]\nname = \"mean\"\n[[method]]\nname = \"ridge\"\n");
  const RunResult done = run_program({"sweep", plan, "-o", dir.path("out")});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_NE(done.out.find("Natural, none, as it comes: balanced, %"), std::string::npos) << done.out;
  EXPECT_NE(read_text(dir.path("out/report.html")).find("Natural as it comes"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(dir.path("out/figures/budget-natural-none.vl.json"))) << done.out;

  const RunResult again = run_program({"sweep", plan, "-o", dir.path("out"), "--json"});
  const auto json = nlohmann::json::parse(again.out);
  EXPECT_EQ(json.at("taken_over"), json.at("runs"));
  for (const auto& cell : json.at("table")) EXPECT_EQ(cell.contains("ratio"), cell.at("data") != "Natural");

  std::string bad = read_text(plan);
  bad.replace(bad.find("long-tail = false"), 17, "long-tail = \"no\"");
  const RunResult refused = run_program({"sweep", dir.file("bad.toml", bad), "-o", dir.path("out")});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("data 'Natural' long-tail: must be true or false"), std::string::npos) << refused.err;
}

TEST(SweepCommand, GoesOnAfterBeingKilled) {
  const TempDir dir;
  write_small_data(dir);
  std::string rho;
  for (int i = 1; i <= 80; ++i) rho += std::to_string(i) + ",";
  const std::string plan = write_small_plan(dir, kMethods, "[" + rho + "]");
  for (const char* signal : {"KILL", "INT"}) {
    const std::string out = dir.path(signal);
    const RunResult killed =
        run_command({"timeout", "-s", signal, "0.2", DPPL_PROGRAM, "sweep", plan, "-o", out, "--threads", "1"});
    const RunResult done = run_program({"sweep", plan, "-o", out});
    EXPECT_EQ(done.status, 0) << done.err;
    if (killed.status != 0 && killed.err.find("interrupted") != std::string::npos) {
      EXPECT_NE(killed.err.find("continues from there"), std::string::npos) << killed.err;
    }
  }
  ASSERT_EQ(run_program({"sweep", plan, "-o", dir.path("whole")}).status, 0);
  const std::string whole = without_seconds(read_text(dir.path("whole/results.csv")));
  EXPECT_EQ(without_seconds(read_text(dir.path("KILL/results.csv"))), whole);
  EXPECT_EQ(without_seconds(read_text(dir.path("INT/results.csv"))), whole);
}

// Some of them are killed in the middle; each run is finished once all the same.
TEST(SweepCommand, ProcessesShareADirectoryAndOutliveEachOther) {
  const TempDir dir;
  write_small_data(dir);
  std::string rho;
  for (int i = 1; i <= 150; ++i) rho += std::to_string(i) + ",";
  const std::string plan =
      write_small_plan(dir, "[[method]]\nname = \"mean\"\nsettings.shrink = [true, false]\n", "[" + rho + "]");
  const std::string out = dir.path("shared");
  const std::vector<std::string> help = {"sweep", plan, "-o", out, "--threads", "1", "--runs-only"};
  for (int round = 0; round < 4; ++round) {
    const testing::RunningProgram first(help), second(help), third(help);
    std::this_thread::sleep_for(std::chrono::milliseconds(40 + 50 * round));
    first.signal(SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    // The others are killed at the end of this scope.
  }
  std::vector<std::future<RunResult>> last;
  for (int i = 0; i < 3; ++i) {
    last.push_back(std::async(std::launch::async, [&] {
      return run_program({"sweep", plan, "-o", out, "--threads", "1", "--json"});
    }));
  }
  for (std::future<RunResult>& program : last) {
    const RunResult done = program.get();
    EXPECT_EQ(done.status, 0) << done.err;
  }
  ASSERT_EQ(run_program({"sweep", plan, "-o", dir.path("whole")}).status, 0);
  EXPECT_EQ(without_seconds(read_text(out + "/results.csv")),
            without_seconds(read_text(dir.path("whole/results.csv"))));
  std::map<std::string, int> times;
  std::istringstream lines(read_text(out + "/runs.jsonl"));
  for (std::string line; std::getline(lines, line);) ++times[nlohmann::json::parse(line).at("key").get<std::string>()];
  EXPECT_EQ(times.size(), 150u * 2 * 2 * 2);
  for (const auto& [key, count] : times) EXPECT_EQ(count, 1) << key;
}

TEST(SweepCommand, RefusesInOneLineBeforeAnyRun) {
  const TempDir dir;
  write_small_data(dir);
  const std::string bad = write_small_plan(dir, "[[method]]\nname = \"magic\"\n");
  const RunResult refused = run_program({"sweep", bad, "-o", dir.path("out")});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("plan.toml:17: method 'magic' kind: 'magic' is unknown"), std::string::npos)
      << refused.err;
  EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(dir.path("out")));

  const std::string plan = write_small_plan(dir, kMethods);
  EXPECT_EQ(run_program({"sweep", plan, "-o", dir.path("out"), "--data", dir.path("elsewhere")}).status, 1);
  EXPECT_EQ(run_program({"sweep", dir.path("none.toml"), "-o", dir.path("out")}).status, 1);
  EXPECT_EQ(run_program({"sweep", plan, "-o", plan}).status, 1);
  EXPECT_EQ(run_program({"sweep", plan}).status, 2);
  EXPECT_EQ(run_program({"sweep", plan, "-o", dir.path("out"), "--threads", "0"}).status, 2);
  EXPECT_NE(run_program({"sweep", "--help"}).out.find("Example"), std::string::npos);
}

}  // namespace
}  // namespace dppl
