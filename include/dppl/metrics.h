#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dppl/embeddings.h"

// How well labels were predicted, on test records that whoever measures may see: nothing here is private.
namespace dppl {

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
