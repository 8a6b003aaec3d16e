#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "cli/command.h"
#include "cli/paths.h"
#include "dppl/experiments.h"
#include "dppl/invalid_record.h"
#include "dppl/rational.h"

namespace dppl::cli {
namespace {

struct Options {
  std::string labels, classes, ratio, output;
  uint64_t seed = 0;
  bool json = false;
};

// Without --classes the labels themselves say how many there are: this command is for experiments, where labels are
// known.
ClassSet classes_of(const Options& options) {
  if (!options.classes.empty()) return ClassSet::parse(options.classes);
  if (options.labels.ends_with(".txt")) {
    throw InvalidInput(fmt::format("{}: labels by name need the names; add --classes names.txt", options.labels));
  }
  const std::vector<int64_t> labels = read_labels(options.labels);
  if (labels.empty()) throw InvalidInput(fmt::format("{}: holds no label", options.labels));
  const int64_t largest = *std::max_element(labels.begin(), labels.end());
  if (largest < 0 || largest >= static_cast<int64_t>(ClassSet::kMaxSize)) {
    throw InvalidRecord(fmt::format("{}: the largest label is not between 0 and {}; number the classes from 0",
                                    options.labels, ClassSet::kMaxSize - 1),
                        fmt::format("it is {}", largest));
  }
  return ClassSet::numbered(static_cast<size_t>(largest) + 1);
}

double ratio_of(const std::string& text) {
  const Rational ratio = parse_rational(text, "--ratio");
  if (ratio < 1)
    throw InvalidInput(fmt::format(
        "--ratio: '{}' is below 1; it is the size of the largest class divided by that of the smallest", text));
  return ratio.get_d();
}

std::vector<uint64_t> counts_of(const std::vector<uint64_t>& rows, const std::vector<int64_t>& labels,
                                const ClassSet& classes) {
  std::vector<int64_t> kept;
  for (const uint64_t row : rows) kept.push_back(labels[row]);
  return count_labels(kept, classes);
}

void run(const Options& options) {
  refuse_overwriting({options.output}, {options.labels});
  const double ratio = ratio_of(options.ratio);
  const ClassSet classes = classes_of(options);
  const std::vector<int64_t> labels = read_labels(options.labels, classes);
  const std::vector<uint64_t> rows = long_tail_rows(labels, classes, ratio, options.seed);
  write_npy(options.output, std::vector<int64_t>(rows.begin(), rows.end()));

  const CountSummary summary = summarise(counts_of(rows, labels, classes));
  if (options.json) {
    print_json({{"classes", classes.size()},
                {"ratio", options.ratio},
                {"seed", options.seed},
                {"total", summary.total},
                {"min", summary.min},
                {"median", summary.median},
                {"max", summary.max},
                {"output", options.output}});
  } else {
    std::cout << fmt::format("{}: {} of {} rows, {} classes; records per class: min {}, median {}, max {}\n",
                             options.output, summary.total, labels.size(), classes.size(), summary.min, summary.median,
                             summary.max);
  }
}

}  // namespace

void add_longtail(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "longtail", "Choose rows so that class sizes fall off exponentially (for experiments)",
                  "  dppl longtail --labels train-y.npy --ratio 100 --seed 1 -o rows.npy\n"
                  "  dppl fit … --train train-x.npy --labels train-y.npy --rows rows.npy\n"
                  "makes an imbalanced data set of a balanced one.");
  command->add_option("--labels", options->labels, "Labels: class numbers (.npy) or names (.txt)")
      ->required()
      ->type_name("Y.npy|Y.txt");
  command
      ->add_option("--ratio", options->ratio, "Size of the largest class divided by that of the smallest, at least 1")
      ->required()
      ->type_name("X");
  command->add_option("--seed", options->seed, "Decides which classes are rare and which rows are kept")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command
      ->add_option("--classes", options->classes,
                   "The number of classes, or a file of names (default: read from the labels)")
      ->type_name("N|NAMES.txt");
  command->add_option("-o,--output", options->output, "Row numbers to write (int64)")
      ->required()
      ->type_name("ROWS.npy");
  add_json(*command, options->json);
  add_private_errors_flag(*command);
  command->callback([options] { run(*options); });
}

}  // namespace dppl::cli
