#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dppl/embeddings.h"

// Many runs of many methods, and their table and figures. For experiments on data that the experimenter may see: runs
// are seeded, hence not private.
namespace dppl {

// One run: what it was, and what came of it. The columns of results.csv, in this order.
struct SweepRow {
  std::string data, encoder;  // names from the plan
  std::string pool;           // name from the plan; empty where the method used none
  uint64_t pool_rows = 0;
  std::string method;         // the plan's name for it: one line of a plot
  std::string kind;           // what it is: mean, public, auto, dp-sgd, …
  std::string transform;      // as asked; "auto" where it was left open
  std::string settings;       // JSON: as asked and, for ours, as used
  std::optional<double> rho;  // empty: no privacy
  double ratio = 1;           // imbalance
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
  double rho = 0, ratio = 1;
  std::vector<MapPoint> points;
};

// What the report draws from: rows, the class sizes of every ratio, maps.
struct SweepResults {
  std::string title;
  std::vector<std::string> figures;  // the plan's; empty: every figure that the rows can fill
  std::vector<SweepRow> rows;
  std::map<double, std::vector<uint64_t>> class_sizes = {};  // by ratio, for the first seed, by class
  std::vector<SweepMap> maps = {};
};

// The names of all figures: "budget", "minority", "encoders", "pool-size", "pool-choice", "top-k", "coinpress",
// "mechanisms", "projection", "runtime", "class-sizes", "map".
std::span<const std::string_view> sweep_figures();

struct SweepFigure {
  std::string name;     // e.g. "budget-ir100"
  std::string caption;  // one sentence
  std::string svg;      // a whole SVG document; empty for a table
  std::string table;    // HTML, for figures that are tables
};
std::vector<SweepFigure> draw_figures(const SweepResults& results);
// One page that needs no other file.
std::string sweep_html(const SweepResults& results);

// Means over seeds ± standard errors, a table for each data set, pool and ratio, for the terminal.
std::string describe_results(const std::vector<SweepRow>& rows);

}  // namespace dppl
