#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "dppl/model.h"

// Choosing settings without a private number: everything here is a function of the pool, the budget, the number
// of classes and expected class sizes, and the same on every run.
namespace dppl {

struct TuneOptions {
  size_t classes = 10;
  uint64_t records = 0;     // expected in all classes together; 0: kRecordsPerClass per class
  double ratio = 0;         // expected, of the largest class to the smallest; 0: 1, 10 and 100 are all looked at
  std::string method = {};  // empty: the best of all that the budget allows
  std::optional<TransformSpec> transform = {};  // empty: the best of several sizes
  unsigned threads = kDefaultThreads;
  std::function<void(double)> progress = {};  // a fraction between 0 and 1

  static constexpr uint64_t kRecordsPerClass = 100;
};

// One way to fit and how it did on the pool.
struct Trial {
  Settings settings;
  // Accuracies, means over the simulated data sets; the minority's over the long-tailed ones.
  double balanced = 0, minority = 0;
  // Balanced accuracy as it is expected on real classes; the choice goes by it.
  double expected = 0;
};

struct Tuning {
  // The chosen one first: in the space with the best expectation and near to it, what serves all classes and the
  // smallest most.
  std::vector<Trial> trials;
  size_t pseudo_classes = 0, test_rows = 0;
  uint64_t records = 0;  // expected per class

  const Settings& best() const { return trials.front().settings; }
};

// Proxy tasks: groups of similar rows of the pool stand for the classes, the rest of it for the pool; data sets of the
// expected size, balanced and long-tailed, are drawn from the groups, fitted at this budget in every way, and tested on
// rows of the groups that were not drawn from. Throws InvalidInput where the pool is too small for that.
Tuning tune(const PublicData& pool, const BudgetSpec& budget, const TuneOptions& options);

// For people, as a table; and for machines (one JSON object).
std::string describe_tuning(const Tuning& tuning, size_t rows = 12);
std::string tuning_json(const Tuning& tuning);

}  // namespace dppl
