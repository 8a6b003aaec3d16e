#pragma once

#include <optional>

#include "dppl/model.h"

// Choosing settings without a private number: everything here is a function of the pool, the budget, the number of
// classes and their sizes, which are declared or released before. In closed form: docs/accuracy.md has the reasons.
namespace dppl {

struct TuneOptions {
  // The size of every class, or of as many as are known; empty: kRecordsPerClass of each.
  std::vector<double> sizes = {};
  size_t classes = 10;
  std::string method = {};                      // empty: the best of all that the budget allows
  std::optional<TransformSpec> transform = {};  // empty: chosen, too
  size_t examples = 0;                          // public examples of classes that the fit will know
  unsigned threads = kDefaultThreads;

  static constexpr double kRecordsPerClass = 100;
};

// What was chosen and what it follows from.
struct Tuning {
  Settings settings;
  double records = 0;  // expected in all classes together
  double smallest_class = 0;
  double signal = 0;  // n·√(2ρ): records over the noise of a sum (zCDP), or ε times the smallest class (pure)
  double class_signal = 0;  // zCDP: n·√(2ρ) of a class of median size
  double set_needs = 0;     // pure: the nats that choosing a set of rows takes
};

// Throws InvalidInput where the pool is too small or has no directions to choose from.
Tuning tune(const PublicData& pool, const BudgetSpec& budget, const TuneOptions& options);

// For people, with the reason where asked; and for machines (one JSON object).
std::string describe_tuning(const Tuning& tuning, bool explain);
std::string tuning_json(const Tuning& tuning);

}  // namespace dppl
