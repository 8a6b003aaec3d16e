#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dppl/privacy.h"
#include "dppl/random.h"

// Methods of others, to compare ours with. For experiments alone: the noise is real-valued and its source is seeded, so
// what comes out is never a private release; what a run would cost is accounted as if it were one, under add/remove.
namespace dppl {

// Rows of unit length in the space of the experiment, and their classes 0 … classes − 1.
struct LabelledRows {
  std::span<const float> values;  // count × dim
  size_t dim = 0;
  std::span<const uint32_t> labels;
  size_t classes = 0;

  size_t count() const { return labels.size(); }
};

// Numbers by name, as a plan gives them: {"steps", 50}, {"rate", 2}, {"clip", 1} …
using BaselineSettings = std::map<std::string, double, std::less<>>;

struct BaselineInput {
  LabelledRows train;
  std::span<const float> test;       // rows of train.dim values, of unit length
  std::span<const float> pool = {};  // public rows of train.dim values, for methods that use them
  std::optional<double> rho = {};    // zCDP, add/remove; empty: no noise (and no guarantee)
  BaselineSettings settings = {};
  unsigned threads = 1;
};

struct BaselineResult {
  std::vector<uint32_t> predicted;                        // one class a test row
  double rho_spent = 0;                                   // as accounted, at most input.rho; 0 without noise
  std::map<std::string, std::vector<double>> trace = {};  // what there is to see on the way: radii, thresholds, losses
};

struct Baseline {
  std::string_view name;      // "dp-sgd", …
  std::string_view words;     // one line for people
  bool is_private;            // false: a reference that no budget touches
  BaselineSettings defaults;  // every setting it knows, with its default
  BaselineResult (*run)(const BaselineInput& input, SeededRandom& random);
  bool uses_pool = false;  // reads input.pool
};

// All of them, in the order of the documentation. find_baseline: null where there is none of that name.
std::span<const Baseline> baselines();
const Baseline* find_baseline(std::string_view name);
// Throws InvalidInput for settings that the baseline does not know or cannot use, rows that do not fit together, a
// class out of range. Settings that are not given have their defaults.
BaselineResult run_baseline(const Baseline& baseline, const BaselineInput& input, SeededRandom& random);

}  // namespace dppl
