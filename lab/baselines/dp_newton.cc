#include "lab/baselines/descent.h"
#include "lab/baselines/methods.h"
#include "lab/baselines/preconditioner.h"
#include "lab/baselines/rows.h"
#include "lab/baselines/softmax_gradient.h"

// DP-Newton (Mehta et al. 2023): Newton's steps on the softmax loss from noisy gradients and noisy second derivatives.
// The full matrix, Σ_i (diag(p_i) − p_i·p_iᵀ) ⊗ x_i·x_iᵀ, has (C·d)² entries; used here for every class is the d × d
// bound Σ_i h_i·x_i·x_iᵀ, where h = 1 − Σp², the trace of the first factor, is at least its largest eigenvalue. So rate
// 1 is careful and rate C is Newton's own step at the start. h < 1, so a record moves the bound by less than 1; each
// step pays for it and for its gradient.
namespace dppl {
namespace {

BaselineResult run(const BaselineInput& input, SeededRandom& random) {
  const auto& settings = input.settings;
  const size_t dim = input.train.dim;
  const double clip = settings.at("clip"), steps = settings.at("steps");
  Account account(input.rho);
  const RecordCount count(input, account, random);
  const double for_moments = settings.at("moment_share") * (1 - count.share());
  const double for_gradients = 1 - count.share() - for_moments;
  Descent descent(std::vector<double>(input.train.classes * dim), settings);
  BaselineResult result;
  for (double t = 0; t < steps; ++t) {
    ScaledGradient gradient = scaled_gradient(input.train, descent.weights(), clipping(clip), input.threads);
    add_noise(gradient.sum, account.gaussian(for_gradients / steps, clip), random);
    Eigen::MatrixXd moment = second_moment(input.train.values, dim, gradient.curvatures, input.threads);
    add_symmetric_noise(moment, account.gaussian(for_moments / steps, 1), random);
    divide(gradient.sum, count.value());
    Preconditioner(moment / count.value(), settings.at("lambda")).apply(gradient.sum);
    descent.step(gradient.sum);
    result.trace["loss"].push_back(mean(gradient.losses));
  }
  result.predicted = predict(input.test, dim, descent.weights(), input.threads);
  result.rho_spent = account.spent();
  return result;
}

}  // namespace

Baseline dp_newton() {
  return {"dp-newton",
          "softmax regression by Newton's steps from noisy gradients and noisy second derivatives",
          true,
          {{"steps", 5},
           {"rate", 10},
           {"clip", 1},
           {"momentum", 0},
           {"decay", 0},
           {"lambda", 0.02},
           {"moment_share", 0.2},
           {"records", 0},
           {"count_share", 0.01}},
          run};
}

}  // namespace dppl
