#include "lab/baselines/descent.h"
#include "lab/baselines/methods.h"
#include "lab/baselines/rows.h"
#include "lab/baselines/softmax_gradient.h"

// Linear probing with DP-SGD (Abadi et al. 2016), full batch: every step releases the sum of clipped gradients, which a
// record moves by at most `clip`. T steps with noise clip·z cost T/(2z²).
namespace dppl {
namespace {

BaselineResult run(const BaselineInput& input, SeededRandom& random) {
  const auto& settings = input.settings;
  const double clip = settings.at("clip"), steps = settings.at("steps");
  Account account(input.rho);
  const RecordCount count(input, account, random);
  Descent descent(std::vector<double>(input.train.classes * input.train.dim), settings);
  BaselineResult result;
  for (double t = 0; t < steps; ++t) {
    ScaledGradient gradient = scaled_gradient(input.train, descent.weights(), clipping(clip), input.threads);
    add_noise(gradient.sum, account.gaussian((1 - count.share()) / steps, clip), random);
    divide(gradient.sum, count.value());
    descent.step(gradient.sum);
    result.trace["loss"].push_back(mean(gradient.losses));
  }
  result.predicted = predict(input.test, input.train.dim, descent.weights(), input.threads);
  result.rho_spent = account.spent();
  return result;
}

}  // namespace

Baseline dp_sgd() {
  return {
      "dp-sgd",
      "softmax regression by full-batch gradient descent with clipped gradients and Gaussian noise",
      true,
      {{"steps", 50}, {"rate", 100}, {"clip", 1}, {"momentum", 0}, {"decay", 0}, {"records", 0}, {"count_share", 0.01}},
      run};
}

}  // namespace dppl
