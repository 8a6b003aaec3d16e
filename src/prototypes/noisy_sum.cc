#include <cmath>

#include "prototypes/class_sizes.h"
#include "prototypes/class_sums.h"
#include "prototypes/integer_row.h"
#include "prototypes/shape.h"
#include "tuning/pool_memory.h"

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

double unit_of(double clip) { return (clip > 0 ? clip : 1) / static_cast<double>(kRadius); }

}  // namespace

Prototypes fit_noisy_sum(const FitInput& input, Budget budget, Random& random) {
  const Hyperparameters& how = input.hyperparameters;
  const double clip = clip_of(how);
  ClassSums exact = class_sums(input, clip);
  Prototypes result;
  result.sums = std::move(exact.sums);
  result.unit = unit_of(clip);

  // Euclidean distance buys counts, the metric a second moment; each is in the way of the other.
  const bool counted = how.distance == Distance::euclidean;
  const Rational share = counted ? how.count_share : how.metric_share;
  std::optional<Guarantee> extra;
  std::optional<SecondMoment> moment;
  if (share > 0) {
    std::vector<Budget> parts =
        Budget::split(Budget::to_zcdp(std::move(budget)), std::vector<Rational>{share, 1 - share});
    if (counted) {
      result.counts = std::move(exact.counts);
      // Streams 0 … classes − 1 are the sums'.
      extra = release_sizes(result.counts, std::move(parts[0]), random, input.classes);
    } else {
      // Streams up to 2·classes are those of sums and counts.
      Random stream = random.stream(2 * input.classes);
      auto released = release_second_moment(input, std::move(parts[0]), stream);
      moment = std::move(released.value);
      extra = released.guarantee;
    }
    budget = std::move(parts[1]);
  }
  const NoisySums released =
      release_sums(result.sums, input.classes, kRadius * kRadius, std::move(budget), random, input.threads);
  result.noise_variance = released.variance;
  result.guarantee = extra ? compose(released.guarantee, *extra) : released.guarantee;
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
  result.values = shape_prototypes(in_units(result.sums, result.unit), input.classes,
                                   std::sqrt(released.variance.get_d()) * result.unit, how, prior.get(),
                                   moment ? &*moment : nullptr, input.threads);
  return result;
}

// The paper's own estimator: class counts are public, neighbours replace a record inside a class, and the mean of rows
// of length at most r gets noise of variance 2r²/(n²ρ): the noisy sum whose norm bound is (2r)², divided by the true n.
Prototypes fit_naive_mean(const FitInput& input, Budget budget, Random& random) {
  const double clip = clip_of(input.hyperparameters);
  ClassSums exact = class_sums(input, clip);
  Prototypes result;
  result.sums = std::move(exact.sums);
  result.counts = std::move(exact.counts);
  result.unit = unit_of(clip);
  const NoisySums released =
      release_sums(result.sums, input.classes, 4 * kRadius * kRadius, std::move(budget), random, input.threads);
  result.noise_variance = released.variance;
  result.guarantee = released.guarantee;
  result.values = input.hyperparameters.distance == Distance::euclidean
                      ? means(result)
                      : shape_prototypes(in_units(result.sums, result.unit), input.classes, 0, input.hyperparameters,
                                         nullptr, nullptr, input.threads);
  return result;
}

}  // namespace dppl
