#include <algorithm>
#include <cmath>

#include "lab/baselines/descent.h"
#include "lab/baselines/methods.h"

// DPSGD-Global-Adapt (Esipova et al. 2023), full batch: gradients up to the length Z are scaled by clip/Z, all of them,
// so that their directions keep their weights; longer ones are cut to `clip`. Z follows a noisy count of the gradients
// longer than τ·Z, which is paid out of the same budget.
namespace dppl {
namespace {

BaselineResult train(const BaselineInput& input, SeededRandom& random) {
  const auto& settings = input.settings;
  const double clip = settings.at("clip"), tau = settings.at("tau");
  double threshold = settings.at("threshold");
  Account account(input.rho);
  const RecordCount count(input, account, random);
  const double for_counts = settings.at("share") * (1 - count.share());
  const auto adapt = [&](const DescentStep& step) {
    step.trace["threshold"].push_back(threshold);
    const auto longer = std::ranges::count_if(step.gradient.norms,
                                              [&](float norm) { return static_cast<double>(norm) > tau * threshold; });
    const double sigma = account.gaussian(for_counts / settings.at("steps"), 1);
    const double noisy = static_cast<double>(longer) + sigma * Normals(random).next();
    threshold *= std::exp(std::clamp(noisy / count.value(), 0.0, 1.0) - settings.at("tail"));
  };
  return softmax_descent(
      input, account, random, count, 1 - count.share() - for_counts,
      [&](double norm) { return clip / std::max(norm, threshold); }, adapt);
}

}  // namespace

Baseline global_adapt() {
  return {"global-adapt",
          "DP-SGD that scales all short gradients by one factor and adapts the threshold (DPSGD-Global-Adapt)", true,
          descent_settings(50, 100, {{"threshold", 1}, {"tau", 1}, {"tail", 0.1}, {"share", 0.05}}), train};
}

}  // namespace dppl
