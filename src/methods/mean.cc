#include <cmath>

#include "estimation/prototype_scaling.h"
#include "rows/integer_row.h"
#include "statistics/class_counts/class_sizes.h"
#include "statistics/class_sums/class_sums.h"
#include "statistics/gradient_sum/gradient_sum.h"
#include "tuning/pool_cache.h"

// DPPL-Mean: per class the noisy integer sum of its records (add/remove). Cosine needs only the direction of the sum,
// so no count is released; Euclidean distance needs the mean, so a share of the budget buys a noisy count.
namespace dppl {
namespace {

std::vector<double> in_units(std::span<const int64_t> sums, double unit) {
  std::vector<double> result(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) result[i] = static_cast<double>(sums[i]) * unit;
  return result;
}

// Sums divided by counts.
std::vector<float> means(const Prototypes& released) {
  const size_t dim = released.sums.size() / released.counts.size();
  std::vector<float> result(released.sums.size());
  for (size_t i = 0; i < result.size(); ++i) {
    const auto count = static_cast<double>(std::max<int64_t>(released.counts[i / dim], 1));
    result[i] = static_cast<float>(static_cast<double>(released.sums[i]) * released.unit / count);
  }
  return result;
}

// Every step is computed from those before it and from the sums.
Guarantee refine(Refinement& refinement, const FitInput& input, AddRemoveBudget budget, Random& random) {
  const unsigned steps = input.hyperparameters.refine_steps;
  const std::vector<Rational> shares(steps, Rational(1, steps));
  std::vector<Budget> parts = Budget::split(std::move(budget).take(), shares);
  const GradientSums gradients(input);
  std::optional<Guarantee> total;
  for (unsigned t = 0; t < steps; ++t) {
    // Streams up to 3·classes are those of the sums, the counts, the second moment and the sizes.
    Random stream = random.stream(3 * input.classes + 1 + t);
    const auto released = gradients.release(refinement, AddRemoveBudget(std::move(parts[t])), stream);
    refinement.step(released.value);
    total = total ? compose(*total, released.guarantee) : released.guarantee;
    if (input.progress) input.progress(static_cast<double>(t + 1) / static_cast<double>(steps));
  }
  return *total;
}

double unit_of(double clip) { return (clip > 0 ? clip : 1) / static_cast<double>(kRadius); }

}  // namespace

Prototypes fit_noisy_sum(const FitInput& input, AddRemoveBudget whole, Random& random) {
  Budget budget = std::move(whole).take();
  const Hyperparameters& how = input.hyperparameters;
  const double clip = clip_of(how);
  ClassSums exact = class_sums(input, clip);
  Prototypes result;
  result.sums = std::move(exact.sums);
  result.unit = unit_of(clip);

  // Euclidean distance buys counts, the metric a second moment, refinement gradients; each is in the way of the others.
  const bool counted = how.distance == Distance::euclidean, refined = how.refine_steps > 0;
  const Rational share = counted ? how.count_share : refined ? how.refine_share : how.metric_share;
  std::optional<Guarantee> extra;
  std::optional<SecondMoment> moment;
  std::optional<Budget> for_steps;
  if (share > 0) {
    std::vector<Budget> parts =
        Budget::split(Budget::to_zcdp(std::move(budget)), std::vector<Rational>{share, 1 - share});
    if (counted) {
      result.counts = std::move(exact.counts);
      // Streams 0 … classes − 1 are the sums'.
      const double variance = 1 / (2 * parts[0].rho().get_d());
      extra = release_sizes(result.counts, std::move(parts[0]), random, input.classes);
      if (input.released) input.released({"class sizes", result.counts, variance});
    } else if (refined) {
      for_steps = std::move(parts[0]);
    } else {
      // Streams up to 2·classes are those of sums and counts.
      Random stream = random.stream(2 * input.classes);
      auto released = release_second_moment(input, AddRemoveBudget(std::move(parts[0])), stream);
      moment = std::move(released.value);
      extra = released.guarantee;
    }
    budget = std::move(parts[1]);
  }
  const NoisySums released =
      release_sums(result.sums, input.classes, NormBound::added(kRadius), std::move(budget), random, input.threads);
  result.noise_variance = released.variance;
  result.guarantee = extra ? compose(released.guarantee, *extra) : released.guarantee;
  if (input.released) input.released({"class sums", result.sums, released.variance.get_d()});
  if (counted) {
    result.values = means(result);
    return result;
  }
  std::shared_ptr<const PoolPrior> prior;
  if (how.shrink) {
    prior = input.memory != nullptr
                ? input.memory->prior(input.transform)
                : std::make_shared<PoolPrior>(PoolPrior::of(*input.pool, input.transform, input.threads));
  }
  const double sigma = std::sqrt(released.variance.get_d()) * result.unit;
  const std::vector<double> sums = in_units(result.sums, result.unit);
  if (refined) {
    Refinement refinement(posterior(sums, sigma, *prior, how.spread.get_d(), input.threads), how,
                          Refinement::sigma_of(for_steps->rho().get_d(), how.refine_steps));
    result.guarantee =
        compose(result.guarantee, refine(refinement, input, AddRemoveBudget(std::move(*for_steps)), random));
    result.values = refinement.prototypes(how.balance.get_d());
    return result;
  }
  result.values =
      shape_prototypes(sums, input.classes, sigma, how, prior.get(), moment ? &*moment : nullptr, input.threads);
  return result;
}

// The paper's own estimator: class counts are public, neighbours replace a record inside a class, and the mean of rows
// of length at most r gets noise of variance 2r²/(n²ρ): the noisy sum whose norm bound is (2r)², divided by the true n.
Prototypes fit_naive_mean(const FitInput& input, ReplaceInClassBudget budget, Random& random) {
  const double clip = clip_of(input.hyperparameters);
  ClassSums exact = class_sums(input, clip);
  Prototypes result;
  result.sums = std::move(exact.sums);
  result.counts = std::move(exact.counts);
  result.unit = unit_of(clip);
  const NoisySums released = release_sums(result.sums, input.classes, NormBound::replaced(kRadius),
                                          std::move(budget).take(), random, input.threads);
  result.noise_variance = released.variance;
  result.guarantee = released.guarantee;
  result.values = input.hyperparameters.distance == Distance::euclidean
                      ? means(result)
                      : shape_prototypes(in_units(result.sums, result.unit), input.classes, 0, input.hyperparameters,
                                         nullptr, nullptr, input.threads);
  return result;
}

}  // namespace dppl
