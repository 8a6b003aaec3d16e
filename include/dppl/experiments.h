#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dppl/embeddings.h"

// Tools for experiments on data that the experimenter may see: nothing here is private.
namespace dppl {

// Records of each class of the set. Throws InvalidInput for a label outside it.
std::vector<uint64_t> class_counts(std::span<const int64_t> labels, const ClassSet& classes);

// Exponentially long-tailed class sizes (Cui et al. 2019; Cao et al. 2019), by rank: n(r) =
// round(largest·ratio^(−r/(C−1))), halves up. The first class keeps `largest` records, the last one largest/ratio.
// ratio ≥ 1; one class keeps everything.
std::vector<uint64_t> long_tail_counts(uint64_t largest, size_t classes, double ratio);

// Row numbers, ascending, of a long-tailed subset. The largest class keeps as many records as the smallest class of the
// whole set has; which class gets which rank, and which of its rows it keeps, follows from the seed alone. Throws
// InvalidInput if a class has no record.
std::vector<uint64_t> long_tail_rows(std::span<const int64_t> labels, const ClassSet& classes, double ratio,
                                     uint64_t seed);

// The median of an even number of classes is the mean of the middle two, halves up.
struct CountSummary {
  uint64_t total = 0, min = 0, median = 0, max = 0;
};
CountSummary summarise(std::vector<uint64_t> counts);

struct ClassEvaluation {
  int64_t label = 0;
  std::string name;
  uint64_t n = 0, correct = 0;     // of the test records of this class
  std::optional<double> accuracy;  // recall; empty without test records
};

struct Evaluation {
  uint64_t n = 0;
  double accuracy = 0;
  double balanced_accuracy = 0;             // mean recall of the classes with test records
  std::optional<double> minority_accuracy;  // the same over the minority_classes() with test records
  std::vector<ClassEvaluation> per_class;   // of every class of the set
  // Row-major, true class by predicted class; for up to kMaxConfusionClasses classes.
  std::optional<std::vector<uint64_t>> confusion;

  static constexpr size_t kMaxConfusionClasses = 1000;
};

// The quarter of the classes (rounded up) with the fewest training records; of equal ones those with the smaller
// number.
std::vector<size_t> minority_classes(std::span<const uint64_t> training_counts);

// Compares predictions with the truth, record by record. Throws InvalidInput when there are no records, when the two
// differ in length, or when a label or the counts do not fit the class set.
Evaluation evaluate(std::span<const int64_t> predicted, std::span<const int64_t> truth, const ClassSet& classes,
                    const std::optional<std::vector<uint64_t>>& training_counts = std::nullopt);

}  // namespace dppl
