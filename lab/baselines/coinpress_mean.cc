#include <algorithm>

#include "lab/baselines/coinpress_radii.h"
#include "lab/baselines/means.h"
#include "lab/baselines/methods.h"

// CoinPress (Biswas, Dong, Kamath & Ullman 2020): the mean in a few steps, each clipping around the estimate of the
// step before, with a radius that follows from public numbers: dimension, class count, noise. Replacing a record of a
// class with n records moves the mean of a step by at most 2·clip/n. Class counts are taken as public.
namespace dppl {
namespace {

// Half of the budget for the last step, the rest in equal parts.
double share_of_step(size_t step, size_t steps) {
  if (steps == 1) return 1;
  return step + 1 == steps ? 0.5 : 0.5 / static_cast<double>(steps - 1);
}

BaselineResult train(const BaselineInput& input, SeededRandom& random) {
  const auto steps = static_cast<size_t>(input.settings.at("steps"));
  const size_t classes = input.train.classes;
  const GroupedRows rows = group_by_class(input.train);
  Account account(input.rho);
  std::vector<double> noises;  // of a sum of rows of length up to 1
  for (size_t t = 0; t < steps; ++t) noises.push_back(account.gaussian(share_of_step(t, steps), 2));
  std::vector<double> radii(classes * steps), errors(classes * steps);
  BaselineResult result;
  result.classifier = prototypes_by_class(input, random, [&](size_t c, Random& stream, std::span<double> centre) {
    const double n = static_cast<double>(std::max<size_t>(rows.count(c), 1));
    const std::vector<double> truth = mean_row(rows.of(c), rows.dim);
    CoinPressRadii next(rows.dim, input.settings.at("beta"), input.settings.at("radius"));
    for (size_t t = 0; t < steps; ++t) {
      const double clip = next.clip();
      const double sigma = noises[t] * clip / n;
      std::vector<double> sum = clipped_sum(rows.of(c), std::vector<double>(centre.begin(), centre.end()), clip);
      for (double& value : sum) value /= n;
      add_noise(sum, sigma, stream);
      for (size_t k = 0; k < rows.dim; ++k) centre[k] += sum[k];
      next.narrow(n, sigma);
      radii[c * steps + t] = next.radius();
      errors[c * steps + t] = distance(centre, truth);
    }
  });
  for (size_t t = 0; t < steps; ++t) {
    double radius = 0, error = 0;
    for (size_t c = 0; c < classes; ++c) {
      radius += radii[c * steps + t] / static_cast<double>(classes);
      error += errors[c * steps + t] / static_cast<double>(classes);
    }
    result.trace["radius"].push_back(radius);
    result.trace["error"].push_back(error);
  }
  result.rho_spent = account.spent();
  return result;
}

}  // namespace

Baseline coinpress_mean() {
  return {"coinpress-mean",
          "nearest mean, estimated by CoinPress; class counts public, neighbours replace a record within its class",
          true,
          {{"steps", 3}, {"radius", 1}, {"beta", 0.01}},
          train};
}

}  // namespace dppl
