#include "dppl/tune.h"

#include <fmt/format.h>

#include <iostream>

#include "cli/budget_options.h"
#include "cli/command.h"
#include "cli/progress.h"

namespace dppl::cli {
namespace {

struct Options {
  std::string pool, classes, method = "auto", transform = "auto";
  BudgetOptions budget;
  uint64_t records = 0;
  double ratio = 0;
  unsigned threads = kDefaultThreads;
  bool explain = false, json = false;
};

void run(const Options& options) {
  const BudgetSpec budget = options.budget.read();
  const PublicData pool = PublicData::open(options.pool, options.threads);
  ProgressBar progress("tune", "transforms", 1);
  TuneOptions tuning{.classes = ClassSet::parse(options.classes).size(),
                     .records = options.records,
                     .ratio = options.ratio,
                     .threads = options.threads,
                     .progress = [&](double fraction) { progress.update(fraction); }};
  if (!is_auto(settings_of(options.method))) tuning.method = options.method;
  if (options.transform != "auto") tuning.transform = TransformSpec::parse(options.transform);
  const Tuning result = tune(pool, budget, tuning);
  if (options.json) {
    print_json(nlohmann::ordered_json::parse(tuning_json(result)));
  } else {
    std::cout << describe_tuning(result, options.explain ? result.trials.size() : 1);
  }
}

}  // namespace

void add_tune(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "tune", "Show what --method auto chooses, and from what, without private data",
                  "  dppl tune --pool public-x.npy --classes 100 --records 10000 --rho 0.125 --explain\n"
                  "simulates the fit on groups of public rows in every way and prints the table, the best first.");
  command->add_option("--pool", options->pool, "Public embeddings (.npy or .pool)")->required();
  command->add_option("--classes", options->classes, "The declared classes: a number, or a file with one name per line")
      ->required();
  command->add_option("--records", options->records,
                      "How many records to expect in all: a guess that is public (default: 100 per class)");
  command
      ->add_option(
          "--ratio", options->ratio,
          "The expected size of the largest class over the smallest's, public too (default: 1, 10 and 100 alike)")
      ->check(CLI::Range(1.0, 1e6));
  options->budget.add_to(*command, "What the model may cost");
  command->add_option("--method", options->method, "Only this method: mean, public, public-k; or auto")
      ->capture_default_str();
  command->add_option("--transform", options->transform, "Only this transform, or auto")->capture_default_str();
  command->add_flag("--explain", options->explain, "The whole table");
  add_threads(*command, options->threads);
  command->add_flag("--json", options->json, "One JSON object on standard output");
  command->callback([options] { run(*options); });
}

}  // namespace dppl::cli
