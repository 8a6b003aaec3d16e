#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dppl/embeddings.h"

// Many runs of many methods, and their table and figures. For experiments on data that the experimenter may see: runs
// are seeded, hence not private.
namespace dppl {

// ---- Plans

// A value of a method's setting. Numbers of every kind are doubles.
using SweepSetting = std::variant<bool, double, std::string>;
using SweepSettings = std::map<std::string, SweepSetting, std::less<>>;

// What to run: every method on every data set with every pool, imbalance, budget and seed. docs/sweep.md says how to
// write one.
//
// An imbalance ratio that is empty, here and in results, says that data are taken as they come, with all their rows.
struct SweepPlan {
  struct Data {
    std::string name, encoder;
    std::string train, train_labels, test, test_labels;  // paths
    std::string classes;                                 // a number or a path
    std::vector<size_t> pools = {};                      // of SweepPlan::pools
    std::vector<std::optional<double>> ratios = {1.0};   // of long tails; or one that is empty
    size_t line = 0;                                     // of the plan's file
  };
  struct Pool {
    std::string name, file;
    std::vector<uint64_t> rows = {};  // prefixes; empty: the whole file
    size_t line = 0;
  };
  struct Method {
    std::string name, kind;
    SweepSettings settings = {};           // the transform among them
    std::vector<SweepSettings> grid = {};  // more settings, of which the best by test accuracy is taken
    bool tune_on_pool = false;             // settings from the pool instead
    size_t line = 0;
  };
  struct Map {
    size_t method = 0;  // of SweepPlan::methods
    double rho = 0;
    std::optional<double> ratio = 1;
  };

  std::string file, title;
  std::vector<std::string> figures = {};
  std::vector<double> rho = {};
  std::vector<uint64_t> seeds = {};
  std::vector<Data> data = {};
  std::vector<Pool> pools = {};
  std::vector<Method> methods = {};  // lists in settings spelled out, one method each
  std::vector<Map> maps = {};
};

// Throw InvalidInput, in one line with the file, the line and the key, for whatever could fail later. Relative paths
// are looked up under `data_directory`; empty: beside the plan. parse_plan opens no file.
SweepPlan parse_plan(std::string_view text, const std::string& file, const std::string& data_directory = "");
SweepPlan load_plan(const std::string& path, const std::string& data_directory = "");

// ---- Results

// One run: what it was, and what came of it. The columns of results.csv, in this order.
struct SweepRow {
  std::string data, encoder;  // names from the plan
  std::string pool;           // name from the plan; empty where the method used none
  uint64_t pool_rows = 0;
  std::string method;               // the plan's name for it: one line of a plot
  std::string kind;                 // what it is: mean, public, auto, dp-sgd, …
  std::string transform;            // as asked; "auto" where it was left open
  std::string settings;             // JSON: as asked and, for ours, as used
  std::optional<double> rho;        // empty: no privacy
  std::optional<double> ratio = 1;  // imbalance; empty: data as they come
  uint64_t seed = 0;
  bool tuned_on_test = false;  // best of a grid by test accuracy: an upper bound, not private
  std::string status;          // "ok" or "failed"
  std::string error;           // why it failed, one line
  uint64_t train_rows = 0;
  double accuracy = 0, balanced = 0, minority = 0;  // between 0 and 1
  double seconds = 0;                               // of fitting and predicting, without what runs share
  double rho_spent = 0;
  std::string trace;  // JSON object of lists of numbers, or empty
};

// CSV as in RFC 4180, one header line; lines end in LF. parse_results throws InvalidInput with the line's number.
std::string results_csv(const std::vector<SweepRow>& rows);
std::vector<SweepRow> parse_results(std::string_view text, const std::string& name);

// Points in the plane, for a plan's map. SHOWS PRIVATE DATA.
struct MapPoint {
  enum class Kind { true_mean, private_mean, test };
  Kind kind = Kind::test;
  uint32_t label = 0;
  double x = 0, y = 0;
  bool right = false;  // test points: classified rightly
};
struct SweepMap {
  std::string method;
  double rho = 0;
  std::optional<double> ratio = 1;
  std::vector<MapPoint> points;
};

// What the report draws from: rows, the class sizes of every ratio, maps.
struct SweepResults {
  std::string title;
  std::vector<std::string> figures;  // the plan's; empty: every figure that the rows can fill
  std::vector<SweepRow> rows;
  // Of the first data set, by ratio, for the first seed, by class.
  std::map<std::optional<double>, std::vector<uint64_t>> class_sizes = {};
  std::vector<SweepMap> maps = {};
  uint64_t taken_over = 0;           // runs that an earlier call had finished
  uint64_t done = 0, by_others = 0;  // runs that this call has finished, and other processes meanwhile
};

struct SweepOptions {
  std::string directory;  // for runs.jsonl and what write_sweep() writes; made if it is not there
  std::string version;    // of the program: runs of another one are not taken over
  unsigned threads = kDefaultThreads;
  // To lend a hand: return when every run is done or being done by some process, with the counts alone and no rows.
  bool runs_only = false;
  // Of the runs that are left to do; called from any thread.
  std::function<void(uint64_t done, uint64_t total)> progress = {};
};

// Runs the plan. Each finished run is on the disk at once, in runs.jsonl, and is not run again by another call with the
// same data, settings and version; failed ones are. Any number of processes, also of machines that share the directory,
// may run a plan together: each run is done by one of them, a killed one's is taken over by another, and all return the
// same when all is done. What comes out depends on the plan and the data alone, but for the
// seconds. A run that fails is a row that says so. Throws InvalidInput before the first run where data do not fit
// together.
SweepResults run_sweep(const SweepPlan& plan, const SweepOptions& options);

// Writes results.csv, the page report.html, which needs no other file, and every chart's Vega-Lite specification
// figures/NAME.vl.json, each whole or not at all, and returns their paths.
struct SweepFiles {
  std::string results, report;
  std::vector<std::string> figures;
};
SweepFiles write_sweep(const SweepResults& results, const std::string& directory);

// ---- Figures

// The names of all figures: "budget", "minority", "encoders", "pool-size", "pool-choice", "top-k", "coinpress",
// "mechanisms", "projection", "runtime", "class-sizes", "map".
std::span<const std::string_view> sweep_figures();

// Means over seeds ± standard errors, a table for each data set, pool and ratio, for the terminal.
std::string describe_results(const std::vector<SweepRow>& rows);
// The same for machines: a JSON list with one object for each data set, pool, ratio, method and budget.
std::string results_json(const std::vector<SweepRow>& rows);

}  // namespace dppl
