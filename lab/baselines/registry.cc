#include <fmt/format.h>

#include <cmath>

#include "dppl/error.h"
#include "lab/baselines/methods.h"
#include "lab/baselines/rows.h"
#include "lab/baselines/settings.h"

namespace dppl {
namespace {

void check_input(const BaselineInput& input) {
  const LabelledRows& train = input.train;
  if (train.dim == 0) throw InvalidInput("training rows: the dimension is 0");
  if (train.classes == 0) throw InvalidInput("training rows: the number of classes is 0");
  if (train.count() == 0) throw InvalidInput("training rows: there are none");
  if (train.values.size() != train.count() * train.dim) {
    throw InvalidInput(fmt::format("training rows: {} values for {} labels in dimension {}; {} were expected",
                                   train.values.size(), train.count(), train.dim, train.count() * train.dim));
  }
  for (size_t i = 0; i < train.count(); ++i) {
    if (train.labels[i] >= train.classes) {
      throw InvalidInput(fmt::format("training rows: row {} has class {}, but there are classes 0 to {}", i,
                                     train.labels[i], train.classes - 1));
    }
  }
  check_rows("training rows", train.values, train.dim);
  check_rows("pool rows", input.pool, train.dim);
  if (input.rho && !(*input.rho > 0 && std::isfinite(*input.rho))) {
    throw InvalidInput(fmt::format("rho is {:g}, but must be a number above 0; leave it out for no noise", *input.rho));
  }
}

}  // namespace

std::span<const Baseline> baselines() {
  static const std::vector<Baseline> all = {
      dp_sgd(),
      global_adapt(),
      dp_ls(),
      dp_fc(),
      dp_newton(),
      coinpress_mean(),
      naive_mean(),
      friendly_core_mean(),
      projection_mean(),
      projection_public(),
      class_mean(),
      nearest_neighbour(),
      logistic_regression(),
      ridge(),
  };
  return all;
}

const Baseline& find_baseline(std::string_view name) {
  for (const Baseline& baseline : baselines()) {
    if (baseline.name == name) return baseline;
  }
  throw InvalidInput(fmt::format("'{}' is not a baseline", name.substr(0, 40)));
}

BaselineResult train_baseline(const Baseline& baseline, const BaselineInput& input, SeededRandom& random) {
  BaselineInput complete = input;
  complete.settings = complete_settings(baseline, input.settings);
  check_input(complete);
  if (!baseline.is_private) complete.rho.reset();
  return baseline.train(complete, random);
}

}  // namespace dppl
