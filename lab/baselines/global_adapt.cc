#include <algorithm>
#include <cmath>

#include "lab/baselines/descent.h"
#include "lab/baselines/methods.h"
#include "lab/baselines/rows.h"
#include "lab/baselines/softmax_gradient.h"

// DPSGD-Global-Adapt (Esipova et al. 2023), full batch: gradients up to the length Z are scaled alike, by clip/Z, so
// that their directions keep their weights; longer ones are cut to `clip`. Z follows a noisy count of the gradients
// longer than τ·Z, which is paid out of the same budget.
namespace dppl {
namespace {

BaselineResult run(const BaselineInput& input, SeededRandom& random) {
  const auto& settings = input.settings;
  const double clip = settings.at("clip"), steps = settings.at("steps"), tau = settings.at("tau");
  double threshold = settings.at("threshold");
  Account account(input.rho);
  const RecordCount count(input, account, random);
  const double for_counts = settings.at("share") * (1 - count.share());
  const double for_gradients = 1 - count.share() - for_counts;
  Descent descent(std::vector<double>(input.train.classes * input.train.dim), settings);
  BaselineResult result;
  for (double t = 0; t < steps; ++t) {
    const auto factor = [&](double norm) { return clip / std::max(norm, threshold); };
    ScaledGradient gradient = scaled_gradient(input.train, descent.weights(), factor, input.threads);
    add_noise(gradient.sum, account.gaussian(for_gradients / steps, clip), random);
    divide(gradient.sum, count.value());
    descent.step(gradient.sum);
    result.trace["loss"].push_back(mean(gradient.losses));
    result.trace["threshold"].push_back(threshold);
    const auto longer = std::count_if(gradient.norms.begin(), gradient.norms.end(),
                                      [&](float norm) { return static_cast<double>(norm) > tau * threshold; });
    const double noisy = static_cast<double>(longer) + account.gaussian(for_counts / steps, 1) * Normals(random).next();
    threshold *= std::exp(std::clamp(noisy / count.value(), 0.0, 1.0) - settings.at("tail"));
  }
  result.predicted = predict(input.test, input.train.dim, descent.weights(), input.threads);
  result.rho_spent = account.spent();
  return result;
}

}  // namespace

Baseline global_adapt() {
  return {"global-adapt",
          "DP-SGD that scales short gradients alike and adapts the threshold (DPSGD-Global-Adapt)",
          true,
          {{"steps", 50},
           {"rate", 100},
           {"clip", 1},
           {"momentum", 0},
           {"decay", 0},
           {"threshold", 1},
           {"tau", 1},
           {"tail", 0.1},
           {"share", 0.05},
           {"records", 0},
           {"count_share", 0.01}},
          run};
}

}  // namespace dppl
