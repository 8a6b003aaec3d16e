#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "dppl/invalid_record.h"
#include "dppl/metrics.h"
#include "rows/labels.h"

namespace dppl {
namespace {

void check_sizes(std::span<const int64_t> predicted, std::span<const int64_t> truth) {
  if (truth.empty()) throw InvalidInput("test labels: there are none; give at least one record to evaluate");
  if (predicted.size() != truth.size()) {
    throw InvalidRecord("test labels: not as many as predictions; give one label per row",
                        fmt::format("{} labels for {} predictions", truth.size(), predicted.size()));
  }
}

void check(std::span<const int64_t> predicted, std::span<const int64_t> truth, const ClassSet& classes,
           const std::optional<std::vector<uint64_t>>& training_counts) {
  check_sizes(predicted, truth);
  check_labels(truth, classes, "test labels");
  check_labels(predicted, classes, "predictions");
  if (training_counts && training_counts->size() != classes.size()) {
    throw InvalidInput(
        fmt::format("training counts: {} for {} classes; give one per class", training_counts->size(), classes.size()));
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

std::vector<size_t> numbers_below(size_t count) {
  std::vector<size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  return numbers;
}

// ---- Confidence

void check_certainties(std::span<const float> certainties, size_t records) {
  if (certainties.size() != records) {
    throw InvalidRecord("certainties: not as many as test labels; give one per row",
                        fmt::format("{} certainties for {} labels", certainties.size(), records));
  }
  const auto bad = std::ranges::find_if_not(certainties, [](float p) { return p >= 0 && p <= 1; });
  if (bad != certainties.end()) {
    throw InvalidRecord("certainties: one is not a probability from 0 to 1",
                        fmt::format("row {} has {}", bad - certainties.begin(), *bad));
  }
}

double calibration_error(std::span<const float> certainties, const std::vector<bool>& right) {
  constexpr size_t kBins = ConfidenceEvaluation::kBins;
  // Per bin the sum of certainties less the number of right ones: its records times what mean and accuracy differ by.
  std::array<double, kBins> excess = {};
  for (size_t i = 0; i < right.size(); ++i) {
    const auto certainty = static_cast<double>(certainties[i]);
    const auto bin = static_cast<size_t>(std::max(std::ceil(certainty * kBins) - 1, 0.0));
    excess[bin] += certainty - (right[i] ? 1 : 0);
  }
  double sum = 0;
  for (const double of_bin : excess) sum += std::abs(of_bin);
  return sum / static_cast<double>(right.size());
}

std::vector<ConfidenceEvaluation::WhenLeft> when_left(std::span<const float> certainties,
                                                      const std::vector<bool>& right) {
  std::vector<size_t> order = numbers_below(right.size());
  std::ranges::stable_sort(order, {}, [&](size_t i) { return certainties[i]; });
  std::vector<ConfidenceEvaluation::WhenLeft> result;
  for (const unsigned percent : ConfidenceEvaluation::kPercentsLeft) {
    const auto kept = std::span(order).subspan(order.size() * percent / 100);
    const auto correct = std::ranges::count_if(kept, [&](size_t i) { return right[i]; });
    result.push_back({percent / 100.0, static_cast<double>(correct) / static_cast<double>(kept.size())});
  }
  return result;
}

}  // namespace

std::vector<size_t> minority_classes(std::span<const uint64_t> training_counts) {
  std::vector<size_t> classes = numbers_below(training_counts.size());
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
  result.balanced_accuracy = mean_recall(result.per_class, numbers_below(classes.size())).value();
  if (training_counts) result.minority_accuracy = mean_recall(result.per_class, minority_classes(*training_counts));
  if (classes.size() <= Evaluation::kMaxConfusionClasses) {
    result.confusion = confusion_of(predicted, truth, classes.size());
  }
  return result;
}

ConfidenceEvaluation evaluate_confidence(std::span<const int64_t> predicted, std::span<const int64_t> truth,
                                         std::span<const float> certainties) {
  check_sizes(predicted, truth);
  check_certainties(certainties, truth.size());
  std::vector<bool> right(truth.size());
  for (size_t i = 0; i < truth.size(); ++i) right[i] = predicted[i] == truth[i];
  return {calibration_error(certainties, right), when_left(certainties, right)};
}

}  // namespace dppl
