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

// Whether a model is right as often as it is sure, by evaluate_confidence(). A record's certainty is the probability of
// the class that was predicted for it, the largest of all.
struct ConfidenceEvaluation {
  static constexpr size_t kBins = 15;  // what most publications use
  static constexpr unsigned kPercentsLeft[] = {10, 25, 50};

  // Records are put into kBins bins of equal width by their certainty, a bin's upper end included. In each, the mean
  // certainty differs from the accuracy by something; this is the mean of it over all records: 0 is perfect.
  double expected_calibration_error = 0;

  // The least certain records are left to a person; this is the accuracy on the others.
  struct WhenLeft {
    double left = 0;  // the share of the records, rounded down to whole ones, so that one at least stays
    double accuracy = 0;
  };
  std::vector<WhenLeft> when_left_to_a_person;  // for each of kPercentsLeft
};

struct Evaluation {
  uint64_t n = 0;
  double accuracy = 0;
  double balanced_accuracy = 0;             // mean recall of the classes with test records
  std::optional<double> minority_accuracy;  // the same over the minority_classes() with test records
  std::vector<ClassEvaluation> per_class;   // of every class of the set
  // Row-major, true class by predicted class; for up to kMaxConfusionClasses classes.
  std::optional<std::vector<uint64_t>> confusion;
  // For whoever has certainties to fill in; evaluate() knows none.
  std::optional<ConfidenceEvaluation> confidence;

  static constexpr size_t kMaxConfusionClasses = 1000;
};

// The quarter of the classes (rounded up) with the fewest training records; of equal ones those with the smaller
// number.
std::vector<size_t> minority_classes(std::span<const uint64_t> training_counts);

// Compares predictions with the truth, record by record. Throws InvalidInput when there are no records, when the two
// differ in length, or when a label or the counts do not fit the class set.
Evaluation evaluate(std::span<const int64_t> predicted, std::span<const int64_t> truth, const ClassSet& classes,
                    const std::optional<std::vector<uint64_t>>& training_counts = std::nullopt);

// Compares certainties with how often predictions are right. Of equally certain records the earlier ones are left to a
// person first. Throws InvalidInput when there are no records, when the three differ in length, or when a certainty is
// not a probability.
ConfidenceEvaluation evaluate_confidence(std::span<const int64_t> predicted, std::span<const int64_t> truth,
                                         std::span<const float> certainties);

// One JSON object for machines, with the confusion matrix where asked.
std::string evaluation_json(const Evaluation& evaluation, bool confusion);

}  // namespace dppl
