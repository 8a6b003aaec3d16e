#include "dppl/tune.h"

#include <iostream>

#include "cli/budget_options.h"
#include "cli/command.h"

namespace dppl::cli {
namespace {

struct Options {
  std::string pool, classes, method = "auto", transform = "auto";
  BudgetOptions budget;
  uint64_t records = 0, smallest = 0;
  unsigned threads = kDefaultThreads;
  bool explain = false, json = false;
};

// All classes but the smallest are taken for equal.
std::vector<double> sizes_of(const Options& options, size_t classes) {
  const auto count = static_cast<double>(classes), each = TuneOptions::kRecordsPerClass;
  const double all = options.records > 0 ? static_cast<double>(options.records) : each * count;
  std::vector<double> sizes(classes, all / count);
  if (options.smallest == 0 || classes < 2) return sizes;
  const auto smallest = static_cast<double>(options.smallest);
  if (smallest > all / count) throw CLI::ValidationError("--smallest", "is more than the classes have on average");
  sizes.assign(classes, (all - smallest) / (count - 1));
  sizes.front() = smallest;
  return sizes;
}

void run(const Options& options) {
  const BudgetSpec budget = options.budget.read();
  const PublicData pool = PublicData::open(options.pool, options.threads);
  TuneOptions tuning{.sizes = sizes_of(options, ClassSet::parse(options.classes).size()), .threads = options.threads};
  if (!is_auto(settings_of(options.method))) tuning.method = options.method;
  if (options.transform != "auto") tuning.transform = TransformSpec::parse(options.transform);
  const Tuning result = tune(pool, budget, tuning);
  if (options.json) {
    print_json(nlohmann::ordered_json::parse(tuning_json(result)));
  } else {
    std::cout << describe_tuning(result, options.explain);
  }
}

}  // namespace

void add_tune(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "tune", "Show what --method auto chooses, and why, without private data",
                  "  dppl tune --pool public-x.npy --classes 100 --records 10000 --rho 0.125 --explain\n"
                  "prints the settings that a fit of about 10,000 records would get for this budget, and the reason.");
  command->add_option("--pool", options->pool, "Public embeddings (.npy, .pool or .pools)")->required();
  command->add_option("--classes", options->classes, "The declared classes: a number, or a file with one name per line")
      ->required();
  command->add_option("--records", options->records,
                      "How many records to expect in all: a guess that is public (default: 100 per class)");
  command->add_option("--smallest", options->smallest,
                      "How many the smallest class has, public too (default: as many as the others)");
  options->budget.add_to(*command, "What the model may cost");
  command->add_option("--method", options->method, "Only this method: mean, public, public-k; or auto")
      ->capture_default_str();
  command->add_option("--transform", options->transform, "Only this transform, or auto")->capture_default_str();
  command->add_flag("--explain", options->explain, "The reason as well");
  add_threads(*command, options->threads);
  add_json(*command, options->json);
  command->callback([options] { run(*options); });
}

}  // namespace dppl::cli
