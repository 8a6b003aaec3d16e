#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "cli/command.h"
#include "cli/evaluation.h"

namespace dppl::cli {
namespace {

struct Options {
  std::string model;
  TestData test;
  unsigned threads = kDefaultThreads;
  bool confusion = false, json = false;
};

void print_text(const Evaluation& result, bool confusion) {
  std::cout << fmt::format("records            {}\naccuracy           {:.2f}%\nbalanced accuracy  {:.2f}%\n", result.n,
                           100 * result.accuracy, 100 * result.balanced_accuracy);
  if (result.minority_accuracy)
    std::cout << fmt::format("minority accuracy  {:.2f}%\n", 100 * *result.minority_accuracy);
  if (result.confidence) {
    std::cout << fmt::format("calibration error  {:.2f}%\n", 100 * result.confidence->expected_calibration_error);
    for (const auto& [left, accuracy] : result.confidence->when_left_to_a_person) {
      std::cout << fmt::format("without the least certain {:.0f}%, left to a person  {:.2f}%\n", 100 * left,
                               100 * accuracy);
    }
  }
  if (!confusion || !result.confusion) return;
  std::cout << "confusion (rows: true class, columns: predicted)\n";
  const size_t classes = result.per_class.size();
  for (size_t i = 0; i < classes; ++i) {
    for (size_t j = 0; j < classes; ++j) std::cout << fmt::format("{:>6}", (*result.confusion)[i * classes + j]);
    std::cout << "  " << result.per_class[i].name << "\n";
  }
}

void run(const Options& options) {
  options.test.check();
  const Model model = load_model(options.model);
  if (!model.guarantee.is_private)
    std::cerr << fmt::format("{}: NOT PRIVATE: made with a fixed seed; do not publish it\n", options.model);
  const Evaluation result = options.test.measure(model, options.threads);
  if (options.json) {
    auto json = nlohmann::ordered_json::parse(evaluation_json(result, options.confusion));
    json["private"] = model.guarantee.is_private;
    print_json(json);
  } else {
    print_text(result, options.confusion);
  }
}

}  // namespace

void add_eval(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "eval", "Measure a model on labelled embeddings",
                  "  dppl eval scans.dppl --in test-x.npy --labels test-y.npy --train-labels train-y.npy\n"
                  "With --train-labels the accuracy on the smallest quarter of the training classes is shown, too.\n"
                  "The calibration error is how far the model's probabilities are from how often it is right, on\n"
                  "average over 15 bins: at 0% they mean what they say. Below it stands how often it is right\n"
                  "if the rows of which it is least certain are left to a person.\n"
                  "What is printed is not private: it depends on the test labels, and on the training counts if\n"
                  "--train-labels is given.");
  add_model(*command, options->model);
  options->test.add_to(*command, true);
  command->add_flag("--confusion", options->confusion, "Also print the confusion matrix");
  add_json(*command, options->json);
  add_threads(*command, options->threads, "Threads");
  add_private_errors_flag(*command);
  command->callback([options] { run(*options); });
}

}  // namespace dppl::cli
