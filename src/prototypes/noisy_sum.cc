#include <cmath>

#include "dppl/mechanisms.h"
#include "prototypes/class_sums.h"
#include "prototypes/integer_row.h"

// DPPL-Mean: per class the noisy integer sum of its records (add/remove). Cosine needs only the direction of the sum,
// so no count is released; Euclidean distance needs the mean, so a share of the budget buys a noisy count.
namespace dppl {
namespace {

std::vector<float> scaled(std::span<const int64_t> sum, double scale) {
  std::vector<float> out(sum.size());
  for (size_t i = 0; i < sum.size(); ++i) out[i] = static_cast<float>(static_cast<double>(sum[i]) * scale);
  return out;
}

double inverse_length(std::span<const int64_t> sum) {
  double squares = 0;
  for (const int64_t value : sum) squares += static_cast<double>(value) * static_cast<double>(value);
  return squares > 0 ? 1 / std::sqrt(squares) : 0;
}

// Noisy counts of all classes, in place.
Guarantee release_counts(std::vector<int64_t>& counts, Budget budget, Random& random) {
  std::vector<Budget> budgets = Budget::parallel(std::move(budget), counts.size());
  std::optional<Guarantee> total;
  for (size_t c = 0; c < counts.size(); ++c) {
    // Streams 0 … classes − 1 are the sums'.
    Random stream = random.stream(counts.size() + c);
    auto released = noisy_count(std::move(budgets[c]), stream, counts[c]);
    counts[c] = released.value;
    total = total ? compose_disjoint(*total, released.guarantee) : released.guarantee;
  }
  return *total;
}

void set_prototypes(Prototypes& result, size_t classes, Distance distance) {
  const size_t dim = result.sums.size() / classes;
  for (size_t c = 0; c < classes; ++c) {
    const auto sum = std::span(result.sums).subspan(c * dim, dim);
    const double scale = distance == Distance::cosine
                             ? inverse_length(sum)
                             : result.unit / static_cast<double>(std::max<int64_t>(result.counts[c], 1));
    const auto prototype = scaled(sum, scale);
    result.values.insert(result.values.end(), prototype.begin(), prototype.end());
  }
}

double unit_of(double clip) { return (clip > 0 ? clip : 1) / static_cast<double>(kRadius); }

}  // namespace

Prototypes fit_noisy_sum(const FitInput& input, Budget budget, Random& random) {
  const double clip = clip_of(input.hyperparameters);
  ClassSums exact = class_sums(input, clip);
  Prototypes result;
  result.sums = std::move(exact.sums);
  result.unit = unit_of(clip);

  std::optional<Guarantee> for_counts;
  if (input.hyperparameters.distance == Distance::euclidean) {
    const Rational& share = input.hyperparameters.count_share;
    std::vector<Budget> parts =
        Budget::split(Budget::to_zcdp(std::move(budget)), std::vector<Rational>{share, 1 - share});
    result.counts = std::move(exact.counts);
    for_counts = release_counts(result.counts, std::move(parts[0]), random);
    budget = std::move(parts[1]);
  }
  const NoisySums released =
      release_sums(result.sums, input.classes, kRadius * kRadius, std::move(budget), random, input.threads);
  result.noise_variance = released.variance;
  result.guarantee = for_counts ? compose(released.guarantee, *for_counts) : released.guarantee;
  set_prototypes(result, input.classes, input.hyperparameters.distance);
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
  set_prototypes(result, input.classes, input.hyperparameters.distance);
  return result;
}

}  // namespace dppl
