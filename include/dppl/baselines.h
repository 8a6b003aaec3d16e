#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
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
  std::span<const float> pool = {};  // public rows of train.dim values, for methods that use them
  std::optional<double> rho = {};    // zCDP, add/remove; empty: no noise (and no guarantee)
  BaselineSettings settings = {};
  unsigned threads = 1;
  // Of methods that take steps, after each. It may throw, and that ends the training.
  std::function<void(double fraction)> progress = {};
};

// The class whose weights have the largest product with the row, the first one of equals.
struct LinearClassifier {
  size_t dim = 0;                      // values per row
  std::vector<float> projection = {};  // directions × dim, before rows are scaled to length 1 again; empty: none
  std::vector<float> weights = {};     // classes × directions
};

// Vote of the k nearest of the rows that it keeps, by cosine.
struct NeighbourClassifier {
  size_t dim = 0, classes = 0, k = 1;
  std::vector<float> rows = {};  // count × dim
  std::vector<uint32_t> labels = {};
};

using BaselineClassifier = std::variant<LinearClassifier, NeighbourClassifier>;

// One class per row. Rows are as in training: classifier.dim values, of unit length. Throws InvalidInput for others.
std::vector<uint32_t> predict(const BaselineClassifier& classifier, std::span<const float> rows, unsigned threads = 1);

struct BaselineResult {
  BaselineClassifier classifier = {};
  double rho_spent = 0;                                   // as accounted, at most input.rho; 0 without noise
  std::map<std::string, std::vector<double>> trace = {};  // what there is to see on the way: radii, thresholds, losses
};

struct Baseline {
  std::string_view name;      // "dp-sgd", …
  std::string_view words;     // one line for people
  bool is_private;            // false: a reference that no budget touches
  BaselineSettings defaults;  // every setting it knows, with its default
  BaselineResult (*train)(const BaselineInput& input, SeededRandom& random);
  bool uses_pool = false;  // reads input.pool
};

// All of them, in the order of the documentation.
std::span<const Baseline> baselines();
// Throws InvalidInput where none has this name.
const Baseline& find_baseline(std::string_view name);
// Throws InvalidInput for settings that the baseline does not know or cannot use, rows that do not fit together, a
// class out of range. Settings that are not given have their defaults.
BaselineResult train_baseline(const Baseline& baseline, const BaselineInput& input, SeededRandom& random);

}  // namespace dppl
