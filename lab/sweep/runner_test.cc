#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <sstream>

#include "dppl/error.h"
#include "dppl/pool.h"
#include "dppl/sweep.h"
#include "support/expect_error.h"
#include "support/small_sweep.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::read_text;
using testing::TempDir;
using testing::without_seconds;
using testing::write_natural_data;
using testing::write_small_data;
using testing::write_small_plan;

constexpr std::string_view kMethods = R"([[method]]
name = "auto"
[[method]]
name = "mean, \"sums\""
kind = "mean"
transform = ["none", "whiten:4"]
settings.shrink = [true, false]
[[method]]
name = "mean with its own centre"
kind = "mean"
transform = "whiten:4"
settings.center-share = 0.1
[[method]]
name = "public"
settings.mechanism = ["exponential", "laplace", "permute-and-flip"]
[[method]]
name = "public-k"
transform = "center"
settings.k = [1, 3]
[[method]]
name = "naive"
kind = "naive-mean"
[[method]]
name = "CoinPress"
kind = "coinpress-mean"
[[method]]
name = "too many directions"
kind = "mean"
transform = "pca:9"
[[method]]
name = "reference"
kind = "class-mean"
[[method]]
name = "DP-LS"
kind = "dp-ls"
transform = "pca:3"
[[map]]
method = "auto"
rho = 50
)";

std::string csv_of(const SweepResults& results) { return without_seconds(results_csv(results.rows)); }

struct Sweeping {
  TempDir dir;
  SweepPlan plan;

  explicit Sweeping(std::string_view methods) {
    write_small_data(dir);
    plan = load_plan(write_small_plan(dir, methods));
  }
  SweepResults run(const std::string& out, unsigned threads = 1, const std::string& version = "1") const {
    return run_sweep(plan, {.directory = dir.path(out), .version = version, .threads = threads});
  }
};

TEST(Sweep, RunsEverythingAndGoesOnAfterFailures) {
  const Sweeping sweep(kMethods);
  const SweepResults results = sweep.run("a");
  // Two ratios, two seeds; two budgets, but for the reference.
  EXPECT_EQ(results.rows.size(), (15u * 2 + 1) * 2 * 2);
  for (const SweepRow& row : results.rows) {
    const bool fails = row.method == "too many directions";
    EXPECT_EQ(row.status, fails ? "failed" : "ok") << row.method << ": " << row.error;
    EXPECT_EQ(row.error.empty(), !fails);
    if (fails) {
      EXPECT_NE(row.error.find("there are 8 dimensions"), std::string::npos) << row.error;
      continue;
    }
    EXPECT_EQ(row.rho.has_value(), row.kind != "class-mean");
    EXPECT_EQ(row.train_rows, row.ratio == 1 ? 160u : 40u + 25 + 16 + 10);
    if (row.rho == 50) {
      EXPECT_GT(row.balanced, 0.8) << row.method;
      EXPECT_LE(row.rho_spent, 50);
    }
    EXPECT_FALSE(row.tuned_on_test);
    EXPECT_TRUE(nlohmann::json::parse(row.settings).contains("used")) << row.settings;
  }
  EXPECT_EQ(results.rows.front().data, "Four, five\"s");
  EXPECT_EQ(results.rows.front().transform, "auto");
  EXPECT_EQ(results.class_sizes.at(1), (std::vector<uint64_t>{40, 40, 40, 40}));
  ASSERT_EQ(results.maps.size(), 1u);
  EXPECT_EQ(results.maps[0].points.size(), 40u + 2 * 4);
  EXPECT_EQ(results_csv(parse_results(results_csv(results.rows), "x")), results_csv(results.rows));
}

TEST(Sweep, ThreadsOrderAndOtherMethodsChangeNothing) {
  const Sweeping sweep(kMethods);
  const SweepResults one = sweep.run("a", 1);
  EXPECT_EQ(csv_of(one), csv_of(sweep.run("b", 3)));
  Sweeping fewer("[[method]]\nname = \"public\"\nsettings.mechanism = [\"laplace\"]\n");
  const SweepResults alone = fewer.run("c");
  std::vector<SweepRow> same;
  std::copy_if(one.rows.begin(), one.rows.end(), std::back_inserter(same),
               [](const SweepRow& row) { return row.method == "public, laplace"; });
  EXPECT_EQ(without_seconds(results_csv(same)), csv_of(alone));
}

TEST(Sweep, APoolInShardsGivesTheResultsOfOneFile) {
  const TempDir dir;
  write_small_data(dir);
  const std::string plan = write_small_plan(dir, "[[method]]\nname = \"public\"\n[[method]]\nname = \"auto\"\n");
  std::vector<std::string> shards;
  for (size_t i = 1; i <= 3; ++i) {
    shards.push_back(dir.path(std::to_string(i) + ".pool"));
    build_pool({dir.path("p.npy")}, {.shard = {i, 3}}, shards.back());
  }
  std::filesystem::rename(dir.path("p.npy"), dir.path("source.npy"));
  std::string results[2];
  for (const bool cut : {false, true}) {
    if (cut) {
      commit_pool(shards, dir.path("p.npy"));  // a file is what its first bytes say, whatever its name
    } else {
      build_pool({dir.path("source.npy")}, {}, dir.path("p.npy"));
    }
    results[cut] =
        csv_of(run_sweep(load_plan(plan), {.directory = dir.path(cut ? "b" : "a"), .version = "1", .threads = 1}));
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(Sweep, TakesFinishedRunsOver) {
  const Sweeping sweep(kMethods);
  const SweepResults whole = sweep.run("a");
  EXPECT_EQ(whole.taken_over, 0u);
  const std::string store = sweep.dir.path("a/runs.jsonl"), text = read_text(store);
  const auto failed =
      std::count_if(whole.rows.begin(), whole.rows.end(), [](const SweepRow& row) { return row.status == "failed"; });
  // Killed anywhere, even within a line.
  for (const double part : {0.0, 0.31, 0.75, 0.999, 1.0}) {
    const auto size = static_cast<size_t>(part * static_cast<double>(text.size()));
    std::ofstream(store, std::ios::binary) << text.substr(0, size);
    const SweepResults again = sweep.run("a");
    EXPECT_EQ(csv_of(again), csv_of(whole)) << part;
    if (part == 1) {
      EXPECT_EQ(again.taken_over + static_cast<uint64_t>(failed), whole.rows.size());
      EXPECT_EQ(results_csv(again.rows).size(), results_csv(whole.rows).size()) << "seconds are kept";
    }
  }
  EXPECT_EQ(sweep.run("a", 1, "2").taken_over, 0u) << "another version computes anew";
  write_npy(sweep.dir.path("y.npy"), std::vector<int64_t>(160, 0));
  expect_error<InvalidInput>([&] { load_plan(sweep.plan.file); }, {"data 'Four, five\"s' train-labels", "class 1"});
}

// By key, how many lines say that the run went well.
std::map<std::string, int> times_done(const std::string& store) {
  std::map<std::string, int> result;
  std::istringstream lines(read_text(store));
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    const SweepRow row = parse_results(json.at("row").get<std::string>(), store).at(0);
    result[json.at("key").get<std::string>()] += row.status == "ok" ? 1 : 0;
  }
  return result;
}

TEST(Sweep, ManyShareADirectoryAndDoEachRunOnce) {
  const Sweeping sweep(kMethods);
  const SweepResults alone = sweep.run("alone");
  std::vector<std::future<SweepResults>> together;
  // Each opens the file on its own, as processes do.
  for (unsigned i = 0; i < 4; ++i) {
    together.push_back(std::async(std::launch::async, [&, i] { return sweep.run("shared", 1 + i % 2); }));
  }
  uint64_t done = 0;
  for (std::future<SweepResults>& one : together) {
    const SweepResults results = one.get();
    EXPECT_EQ(csv_of(results), csv_of(alone));
    done += results.done;
  }
  const std::map<std::string, int> times = times_done(sweep.dir.path("shared/runs.jsonl"));
  EXPECT_EQ(times.size(), alone.rows.size());
  for (const auto& [key, count] : times) EXPECT_LE(count, 1) << key;
  EXPECT_GE(done, alone.rows.size()) << "failed ones may be tried by each that starts";
}

TEST(Sweep, AHelperDoesNotWaitForOthers) {
  const Sweeping sweep("[[method]]\nname = \"public\"\n");  // two budgets share their scores
  SweepOptions options{.directory = sweep.dir.path("a"), .version = "1", .threads = 1};
  bool helped = false;
  options.progress = [&](uint64_t, uint64_t) {
    if (helped) return;
    helped = true;
    SweepOptions helper = options;
    helper.progress = {};
    helper.runs_only = true;
    const SweepResults results = run_sweep(sweep.plan, helper);
    EXPECT_EQ(results.done, 6u) << "of 8, one is finished and one is claimed with it";
    EXPECT_EQ(results.taken_over, 1u);
    EXPECT_TRUE(results.rows.empty());
  };
  const SweepResults results = run_sweep(sweep.plan, options);
  EXPECT_TRUE(helped);
  EXPECT_EQ(results.done + results.by_others, 8u);
  EXPECT_EQ(csv_of(results), csv_of(sweep.run("b")));
}

TEST(Sweep, AGridGivesItsBestSetting) {
  const Sweeping sweep(R"([[method]]
name = "best"
kind = "mean"
tune = "grid-on-test"
grid.transform = ["average:8", "none", "average:4"]
[[method]]
name = "plain"
kind = "mean"
)");
  const SweepResults results = sweep.run("a");
  EXPECT_EQ(results.rows.size(), 2u * 2 * 2 * 2);
  for (const SweepRow& row : results.rows) {
    EXPECT_EQ(row.tuned_on_test, row.method == "best");
    if (row.method == "best" && row.rho == 50) {
      EXPECT_EQ(row.transform, "none") << "with windows of 8 all rows are alike";
    }
  }
  EXPECT_EQ(csv_of(sweep.run("a")), csv_of(results));
}

struct NaturalSweeping {
  TempDir dir;
  SweepPlan plan;

  NaturalSweeping() {
    const std::string data = write_natural_data(dir);
    plan = load_plan(write_small_plan(dir, data + "[[method]]\nname = \"mean\"\n[[method]]\nname = \"public\"\n"));
  }
  SweepOptions options() const { return {.directory = dir.path("a"), .version = "1", .threads = 1}; }
  void leave_natural_alone() { plan.data.erase(plan.data.begin()); }
};

TEST(Sweep, DataAsTheyComeHaveAllTheirRows) {
  const NaturalSweeping sweep;
  const SweepResults results = run_sweep(sweep.plan, sweep.options());
  // Two methods, budgets and seeds: at two ratios, and as they come.
  EXPECT_EQ(results.rows.size(), 2u * 2 * 2 * (2 + 1));
  for (const SweepRow& row : results.rows) {
    EXPECT_EQ(row.status, "ok") << row.error;
    EXPECT_EQ(row.ratio.has_value(), row.data != "Natural");
    if (row.data != "Natural") continue;
    EXPECT_EQ(row.train_rows, 160u) << "a long tail of ratio 1 has 120";
    if (row.rho == 50 && row.method == "mean") {
      EXPECT_GT(row.balanced, 0.8);
    }
  }
  EXPECT_EQ(results_csv(parse_results(results_csv(results.rows), "x")), results_csv(results.rows));
  const SweepResults again = run_sweep(sweep.plan, sweep.options());
  EXPECT_EQ(again.taken_over, results.rows.size());
  EXPECT_EQ(results_csv(again.rows), results_csv(results.rows));
}

TEST(Sweep, DataAsTheyComeHaveOneSizeOfEachClassAndAMap) {
  NaturalSweeping sweep;
  sweep.leave_natural_alone();
  sweep.plan.maps = {{.method = 0, .rho = 50, .ratio = std::nullopt}};
  const SweepResults results = run_sweep(sweep.plan, sweep.options());
  ASSERT_EQ(results.class_sizes.size(), 1u);
  EXPECT_EQ(results.class_sizes.at(std::nullopt), (std::vector<uint64_t>{40, 40, 80}));
  ASSERT_EQ(results.maps.size(), 1u);
  EXPECT_EQ(results.maps[0].ratio, std::nullopt);
  EXPECT_EQ(results.maps[0].points.size(), 40u + 2 * 3);
}

TEST(Sweep, SeedsShareTheScoresOfDataAsTheyCome) {
  NaturalSweeping sweep;
  sweep.leave_natural_alone();
  sweep.plan.methods.erase(sweep.plan.methods.begin());  // public alone
  SweepOptions options = sweep.options();
  uint64_t for_others = UINT64_MAX;
  options.progress = [&](uint64_t done, uint64_t) {
    if (done != 1) return;
    SweepOptions helper = sweep.options();
    helper.runs_only = true;
    for_others = run_sweep(sweep.plan, helper).done;
  };
  EXPECT_EQ(run_sweep(sweep.plan, options).rows.size(), 4u);
  EXPECT_EQ(for_others, 0u) << "budgets and seeds are done one after another, by whoever has the scores";
}

TEST(Sweep, AClassOfDataAsTheyComeMayBeEmpty) {
  const TempDir dir;
  std::string data = write_natural_data(dir);
  data.replace(data.find("classes = 3"), 11, "classes = 4");
  const SweepPlan plan = load_plan(
      write_small_plan(dir, data + "[[method]]\nname = \"mean\"\n[[method]]\nname = \"logistic-regression\"\n"));
  for (const SweepRow& row : run_sweep(plan, {.directory = dir.path("a"), .version = "1", .threads = 1}).rows)
    EXPECT_EQ(row.status, "ok") << row.method << ": " << row.error;
  data.replace(data.find("long-tail = false"), 17, "");
  expect_error<InvalidInput>([&] { load_plan(write_small_plan(dir, data + "[[method]]\nname = \"mean\"\n")); },
                             {"data 'Natural' train-labels", "class 3 has no record"});
}

TEST(Sweep, PoolsAndPrefixesAreRunsOfTheirOwn) {
  Sweeping sweep("[[method]]\nname = \"public\"\n[[method]]\nname = \"mean\"\n");
  sweep.plan.pools[0].rows = {50, 300};
  const SweepResults results = sweep.run("a");
  EXPECT_EQ(results.rows.size(), 2u * 8 + 8);
  EXPECT_EQ(results.rows[0].pool_rows, 50u);
  EXPECT_EQ(results.rows[8].pool_rows, 300u);
  EXPECT_EQ(results.rows[16].pool, "") << "mean needs none";
}

}  // namespace
}  // namespace dppl
