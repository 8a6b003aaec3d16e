#include "lab/baselines/methods.h"
#include "lab/baselines/projection.h"
#include "lab/baselines/rows.h"

// DPPL-Mean after a trained projection: noisy sums of the projected rows, which have length 1.
namespace dppl {
namespace {

BaselineResult train(const BaselineInput& input, SeededRandom& random) {
  Account account(input.rho);
  BaselineResult result;
  const Projection projection = train_projection(input, account, random, result.trace["loss"]);
  const std::vector<float> rows = projection.apply(input.train.values, input.train.dim, input.threads);
  std::vector<double> sums = class_sums({rows, projection.dim, input.train.labels, input.train.classes}, input.threads);
  add_noise(sums, account.gaussian(1 - input.settings.at("share"), 1), random);
  result.classifier = nearest_projected(projection, input.train.dim, std::move(sums));
  result.rho_spent = account.spent();
  return result;
}

}  // namespace

Baseline projection_mean() {
  return {"projection-mean",
          "nearest noisy class sum after a linear projection that was trained with DP-SGD",
          true,
          projection_settings(),
          train,
          true};
}

}  // namespace dppl
