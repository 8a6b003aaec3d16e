#include <fmt/format.h>

#include <cmath>

#include "dppl/error.h"
#include "kernels/row_math.h"
#include "lab/baselines/methods.h"
#include "lab/baselines/settings.h"

namespace dppl {
namespace {

// Costs are accounted for rows in the unit ball; float rows may stick out by their rounding.
constexpr double kLongest = 1 + 1e-4;

void check_rows(std::string_view what, std::span<const float> values, size_t dim) {
  if (values.size() % dim != 0) {
    throw InvalidInput(fmt::format("{}: {} values are no whole number of rows of {}", what, values.size(), dim));
  }
  for (size_t begin = 0; begin < values.size(); begin += dim) {
    const double squares = sum_of_squares(values.data() + begin, dim);
    if (!(squares <= kLongest * kLongest)) {
      throw InvalidInput(
          fmt::format("{}: row {} has length {:g}; scale rows to length 1", what, begin / dim, std::sqrt(squares)));
    }
  }
}

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
  check_rows("test rows", input.test, train.dim);
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

const Baseline* find_baseline(std::string_view name) {
  for (const Baseline& baseline : baselines()) {
    if (baseline.name == name) return &baseline;
  }
  return nullptr;
}

BaselineResult run_baseline(const Baseline& baseline, const BaselineInput& input, SeededRandom& random) {
  BaselineInput complete = input;
  complete.settings = complete_settings(baseline, input.settings);
  check_input(complete);
  if (!baseline.is_private) complete.rho.reset();
  return baseline.run(complete, random);
}

}  // namespace dppl
