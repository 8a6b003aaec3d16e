#include "lab/baselines/descent.h"
#include "lab/baselines/methods.h"
#include "lab/baselines/rows.h"

// DP-Newton (Mehta et al. 2023): Newton's steps on the softmax loss from noisy gradients and noisy second derivatives.
// The full matrix, Σ_i (diag(p_i) − p_i·p_iᵀ) ⊗ x_i·x_iᵀ, has (C·d)² entries; used here for every class is the d × d
// bound Σ_i h_i·x_i·x_iᵀ, where h = 1 − Σp², the trace of the first factor, is at least its largest eigenvalue. So rate
// 1 is careful and rate C is Newton's own step at the start. h < 1, so a record moves the bound by less than 1; each
// step pays for it and for its gradient.
namespace dppl {
namespace {

BaselineResult train(const BaselineInput& input, SeededRandom& random) {
  const auto& settings = input.settings;
  Account account(input.rho);
  const RecordCount count(input, account, random);
  const double for_moments = settings.at("moment_share") * (1 - count.share());
  const auto bend = [&](const DescentStep& step) {
    const double share = for_moments / settings.at("steps");
    multiply_rows_by(noisy_inverse_moment(input, account, random, count, share, step.gradient.curvatures),
                     step.gradient.sum);
  };
  return softmax_descent(input, account, random, count, 1 - count.share() - for_moments, clipping(settings.at("clip")),
                         bend);
}

}  // namespace

Baseline dp_newton() {
  return {"dp-newton", "softmax regression by Newton's steps from noisy gradients and noisy second derivatives", true,
          descent_settings(5, 10, {{"lambda", 0.02}, {"moment_share", 0.2}}), train};
}

}  // namespace dppl
