#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/paths.h"
#include "cli/progress.h"
#include "dppl/classify.h"

namespace dppl::cli {
namespace {

struct Options {
  std::string model, input, output, scores, probabilities;
  unsigned threads = kDefaultThreads;
  bool json = false;

  bool prints_labels() const { return output.empty() && scores.empty() && probabilities.empty(); }
};

// Every file appears complete or not at all.
std::vector<int32_t> predict(const Options& options, const Classifier& classifier, const Embeddings& rows) {
  ProgressBar progress("predict", "rows", rows.rows());
  const auto show = [&](uint64_t done) {
    progress.update(static_cast<double>(done) / static_cast<double>(rows.rows()));
  };
  if (options.scores.empty() && options.probabilities.empty()) return classifier.predict(rows, show);
  std::vector<int32_t> labels;
  labels.reserve(rows.rows());
  const auto open = [&](const std::string& path) {
    return path.empty() ? std::nullopt : std::optional(NpyRowsWriter(path, classifier.classes()));
  };
  std::optional<NpyRowsWriter> similar = open(options.scores), probable = open(options.probabilities);
  classifier.score(rows, [&](uint64_t first, std::span<const float> scores, std::span<const int32_t> nearest) {
    if (similar) similar->append(scores);
    if (probable) probable->append(classifier.probabilities(scores));
    labels.insert(labels.end(), nearest.begin(), nearest.end());
    show(first + nearest.size());
  });
  if (similar) similar->commit();
  if (probable) probable->commit();
  return labels;
}

void run(const Options& options) {
  refuse_overwriting({options.output, options.scores, options.probabilities}, {options.model, options.input});
  const Model model = load_model(options.model);
  if (!model.guarantee.is_private)
    std::cerr << fmt::format("{}: NOT PRIVATE: made with a fixed seed; do not publish it or what it says\n",
                             options.model);
  const Classifier classifier(model, options.threads);
  const Embeddings rows = Embeddings::open(options.input);
  const std::vector<int32_t> labels = predict(options, classifier, rows);
  if (!options.output.empty()) write_npy(options.output, labels);
  if (options.json) {
    nlohmann::ordered_json result{{"n", labels.size()}, {"private", model.guarantee.is_private}};
    if (!options.output.empty()) result["output"] = options.output;
    if (!options.scores.empty()) result["scores"] = options.scores;
    if (!options.probabilities.empty()) result["probabilities"] = options.probabilities;
    if (options.prints_labels()) result["labels"] = labels;
    print_json(result);
  } else if (options.prints_labels()) {
    for (const int32_t label : labels) std::cout << model.classes.name(static_cast<size_t>(label)) << '\n';
  } else {
    std::cerr << fmt::format("{} rows classified\n", labels.size());
  }
}

}  // namespace

void add_predict(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "predict", "Classify embeddings with a model",
                  "  dppl predict scans.dppl --in new-x.npy -o new-y.npy --probabilities new-p.npy\n"
                  "Without -o, --scores and --probabilities the class of every row is printed, one per\n"
                  "line. Probabilities are softmax(score_scale × similarity) with the score_scale that\n"
                  "'dppl inspect --json' shows. A row's largest one belongs to its class and says how\n"
                  "sure the model is; how far to trust it, 'dppl eval' measures on labelled rows.");
  add_model(*command, options->model);
  command->add_option("--in", options->input, "Embeddings of the same encoder")->required()->type_name("X.npy");
  command->add_option("-o,--output", options->output, "Class numbers to write (int32)")->type_name("Y.npy");
  command->add_option("--scores", options->scores, "Similarities to write (float32, rows × classes; larger is nearer)")
      ->type_name("S.npy");
  command
      ->add_option("--probabilities", options->probabilities,
                   "Class probabilities to write (float32, rows × classes; each row sums to 1)")
      ->type_name("P.npy");
  add_json(*command, options->json);
  add_threads(*command, options->threads, "Threads");
  add_private_errors_flag(*command);
  command->callback([options] { run(*options); });
}

}  // namespace dppl::cli
