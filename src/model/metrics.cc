#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "dppl/invalid_record.h"
#include "dppl/metrics.h"
#include "rows/labels.h"

namespace dppl {
namespace {

void check(std::span<const int64_t> predicted, std::span<const int64_t> truth, const ClassSet& classes,
           const std::optional<std::vector<uint64_t>>& training_counts) {
  if (truth.empty()) throw InvalidInput("test labels: there are none; give at least one record to evaluate");
  if (predicted.size() != truth.size()) {
    throw InvalidRecord("test labels: not as many as predictions; give one label per row",
                        fmt::format("{} labels for {} predictions", truth.size(), predicted.size()));
  }
  check_labels(truth, classes, "test labels");
  check_labels(predicted, classes, "predictions");
  if (training_counts && training_counts->size() != classes.size()) {
    throw InvalidInput(
        fmt::format("training counts: {} for {} classes; give one a class", training_counts->size(), classes.size()));
  }
}

std::vector<ClassEvaluation> evaluate_classes(std::span<const int64_t> predicted, std::span<const int64_t> truth,
                                              const ClassSet& classes) {
  std::vector<ClassEvaluation> result(classes.size());
  for (size_t i = 0; i < truth.size(); ++i) {
    ClassEvaluation& of_class = result[static_cast<size_t>(truth[i])];
    ++of_class.n;
    of_class.correct += predicted[i] == truth[i];
  }
  for (size_t c = 0; c < result.size(); ++c) {
    ClassEvaluation& of_class = result[c];
    of_class.label = static_cast<int64_t>(c);
    of_class.name = classes.name(c);
    if (of_class.n > 0) of_class.accuracy = static_cast<double>(of_class.correct) / static_cast<double>(of_class.n);
  }
  return result;
}

// Over those of the given classes that have test records; empty when none has.
std::optional<double> mean_recall(const std::vector<ClassEvaluation>& per_class, std::span<const size_t> chosen) {
  double sum = 0;
  size_t count = 0;
  for (const size_t c : chosen) {
    if (!per_class[c].accuracy) continue;
    sum += *per_class[c].accuracy;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

std::vector<uint64_t> confusion_of(std::span<const int64_t> predicted, std::span<const int64_t> truth, size_t classes) {
  std::vector<uint64_t> counts(classes * classes);
  for (size_t i = 0; i < truth.size(); ++i) {
    ++counts[static_cast<size_t>(truth[i]) * classes + static_cast<size_t>(predicted[i])];
  }
  return counts;
}

std::vector<size_t> all_classes(size_t count) {
  std::vector<size_t> classes(count);
  std::iota(classes.begin(), classes.end(), size_t{0});
  return classes;
}

}  // namespace

std::vector<size_t> minority_classes(std::span<const uint64_t> training_counts) {
  std::vector<size_t> classes = all_classes(training_counts.size());
  std::stable_sort(classes.begin(), classes.end(),
                   [&](size_t a, size_t b) { return training_counts[a] < training_counts[b]; });
  classes.resize((classes.size() + 3) / 4);
  return classes;
}

Evaluation evaluate(std::span<const int64_t> predicted, std::span<const int64_t> truth, const ClassSet& classes,
                    const std::optional<std::vector<uint64_t>>& training_counts) {
  check(predicted, truth, classes, training_counts);
  Evaluation result;
  result.n = truth.size();
  result.per_class = evaluate_classes(predicted, truth, classes);
  uint64_t correct = 0;
  for (const ClassEvaluation& of_class : result.per_class) correct += of_class.correct;
  result.accuracy = static_cast<double>(correct) / static_cast<double>(result.n);
  result.balanced_accuracy = mean_recall(result.per_class, all_classes(classes.size())).value();
  if (training_counts) result.minority_accuracy = mean_recall(result.per_class, minority_classes(*training_counts));
  if (classes.size() <= Evaluation::kMaxConfusionClasses) {
    result.confusion = confusion_of(predicted, truth, classes.size());
  }
  return result;
}

}  // namespace dppl
