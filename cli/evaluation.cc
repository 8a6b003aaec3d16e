#include "cli/evaluation.h"

#include <fmt/format.h>

#include "cli/progress.h"
#include "dppl/classify.h"
#include "dppl/experiments.h"
#include "dppl/invalid_record.h"

namespace dppl::cli {
namespace {

std::optional<std::vector<uint64_t>> training_counts(const TestData& test, const ClassSet& classes) {
  if (test.train_labels.empty()) return std::nullopt;
  std::vector<int64_t> labels = read_labels(test.train_labels, classes);
  if (!test.rows.empty()) {
    std::vector<int64_t> chosen;
    for (const uint64_t row : read_rows(test.rows, labels.size())) chosen.push_back(labels[row]);
    labels = std::move(chosen);
  }
  return count_labels(labels, classes);
}

struct Predictions {
  std::vector<int64_t> labels;
  std::vector<float> certainties;  // the probabilities of these labels
};

Predictions predict(const Model& model, const Embeddings& rows, unsigned threads) {
  ProgressBar progress("eval", "rows", rows.rows());
  const Classifier classifier(model, threads);
  Predictions result;
  classifier.score(rows, [&](uint64_t first, std::span<const float> scores, std::span<const int32_t> nearest) {
    const std::vector<float> probabilities = classifier.probabilities(scores);
    for (size_t i = 0; i < nearest.size(); ++i) {
      result.labels.push_back(nearest[i]);
      result.certainties.push_back(probabilities[i * classifier.classes() + static_cast<size_t>(nearest[i])]);
    }
    progress.update(static_cast<double>(first + nearest.size()) / static_cast<double>(rows.rows()));
  });
  return result;
}

}  // namespace

void TestData::add_records_to(CLI::App& command, bool required) {
  command.add_option("--in", input, "Test embeddings")->required(required)->type_name("X.npy");
  command.add_option("--labels", labels, "Their labels: class numbers (.npy) or names (.txt)")
      ->required(required)
      ->type_name("Y.npy|Y.txt");
}

void TestData::add_to(CLI::App& command, bool required) {
  add_records_to(command, required);
  command.add_option("--train-labels", train_labels, "Labels of the training set, which say which classes are small")
      ->type_name("Y.npy|Y.txt");
  command.add_option("--rows", rows, "The rows of the training set that were used")->type_name("ROWS.npy");
}

void TestData::check() const {
  if (input.empty() != labels.empty()) throw CLI::ValidationError("--in", "goes with --labels");
  if (!train_labels.empty() && input.empty())
    throw CLI::ValidationError("--train-labels", "goes with --in and --labels");
  if (!rows.empty() && train_labels.empty()) throw CLI::ValidationError("--rows", "goes with --train-labels");
}

Evaluation TestData::measure(const Model& model, unsigned threads) const {
  const auto counts = training_counts(*this, model.classes);
  const std::vector<int64_t> truth = read_labels(labels, model.classes);
  const Embeddings embeddings = Embeddings::open(input);
  if (embeddings.rows() != truth.size()) {
    throw InvalidRecord(
        fmt::format("{}: does not have as many rows as {} has labels; give one label per row", input, labels),
        fmt::format("{} rows, {} labels", embeddings.rows(), truth.size()));
  }
  const Predictions predicted = predict(model, embeddings, threads);
  Evaluation result = evaluate(predicted.labels, truth, model.classes, counts);
  result.confidence = evaluate_confidence(predicted.labels, truth, predicted.certainties);
  return result;
}

}  // namespace dppl::cli
