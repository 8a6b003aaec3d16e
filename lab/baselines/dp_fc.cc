#include "lab/baselines/descent.h"
#include "lab/baselines/methods.h"
#include "lab/baselines/preconditioner.h"
#include "lab/baselines/rows.h"
#include "lab/baselines/softmax_gradient.h"

// DP-FC (Mehta et al. 2023): softmax regression by noisy gradients, each multiplied by the inverse of the features'
// second moment. That moment is released once, with sensitivity 1; the steps cost what they cost in DP-SGD.
namespace dppl {
namespace {

BaselineResult run(const BaselineInput& input, SeededRandom& random) {
  const auto& settings = input.settings;
  const size_t dim = input.train.dim;
  const double clip = settings.at("clip"), steps = settings.at("steps");
  Account account(input.rho);
  const RecordCount count(input, account, random);
  const double for_moment = settings.at("moment_share") * (1 - count.share());
  const double for_gradients = 1 - count.share() - for_moment;
  Eigen::MatrixXd moment = second_moment(input.train.values, dim, {}, input.threads);
  add_symmetric_noise(moment, account.gaussian(for_moment, 1), random);
  const Preconditioner preconditioner(moment / count.value(), settings.at("lambda"));
  Descent descent(std::vector<double>(input.train.classes * dim), settings);
  BaselineResult result;
  for (double t = 0; t < steps; ++t) {
    ScaledGradient gradient = scaled_gradient(input.train, descent.weights(), clipping(clip), input.threads);
    add_noise(gradient.sum, account.gaussian(for_gradients / steps, clip), random);
    divide(gradient.sum, count.value());
    preconditioner.apply(gradient.sum);
    descent.step(gradient.sum);
    result.trace["loss"].push_back(mean(gradient.losses));
  }
  result.predicted = predict(input.test, dim, descent.weights(), input.threads);
  result.rho_spent = account.spent();
  return result;
}

}  // namespace

Baseline dp_fc() {
  return {"dp-fc",
          "DP-SGD whose steps are multiplied by the inverse of a noisy second moment of the features",
          true,
          {{"steps", 20},
           {"rate", 5},
           {"clip", 1},
           {"momentum", 0},
           {"decay", 0},
           {"lambda", 0.01},
           {"moment_share", 0.2},
           {"records", 0},
           {"count_share", 0.01}},
          run};
}

}  // namespace dppl
