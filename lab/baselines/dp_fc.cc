#include "lab/baselines/descent.h"
#include "lab/baselines/methods.h"
#include "lab/baselines/rows.h"

// DP-FC (Mehta et al. 2023): softmax regression by noisy gradients, each multiplied by the inverse of the features'
// second moment. That moment is released once, with sensitivity 1; the steps cost what they cost in DP-SGD.
namespace dppl {
namespace {

BaselineResult train(const BaselineInput& input, SeededRandom& random) {
  const auto& settings = input.settings;
  Account account(input.rho);
  const RecordCount count(input, account, random);
  const double for_moment = settings.at("moment_share") * (1 - count.share());
  const Eigen::MatrixXd inverse = noisy_inverse_moment(input, account, random, count, for_moment);
  return softmax_descent(input, account, random, count, 1 - count.share() - for_moment, clipping(settings.at("clip")),
                         [&](const DescentStep& step) { multiply_rows_by(inverse, step.gradient.sum); });
}

}  // namespace

Baseline dp_fc() {
  return {"dp-fc", "DP-SGD whose steps are multiplied by the inverse of a noisy second moment of the features", true,
          descent_settings(20, 5, {{"lambda", 0.01}, {"moment_share", 0.2}}), train};
}

}  // namespace dppl
