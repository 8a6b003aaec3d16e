#include "methods/release.h"

#include <optional>

#include "base/parallel.h"
#include "statistics/class_counts/class_counts.h"

namespace dppl {
namespace {

Guarantee all_of(const std::vector<std::optional<Guarantee>>& spent) {
  Guarantee total = *spent.front();
  for (size_t c = 1; c < spent.size(); ++c) total = compose_disjoint(total, *spent[c]);
  return total;
}

}  // namespace

NoisyClasses release_class_sums(BoundedSum& sums, size_t classes, Budget budget, const FitStreams& streams,
                                unsigned threads) {
  const size_t dim = sums.values.size() / classes;
  std::vector<Budget> budgets = Budget::parallel(std::move(budget), classes);
  std::vector<std::optional<Guarantee>> spent(classes);
  std::vector<Rational> variances(classes);
  parallel_blocks(classes, 1, threads, [&](size_t c, size_t, unsigned) {
    Random stream = streams.class_sum(c);
    const auto sum = std::span(sums.values).subspan(c * dim, dim);
    auto released = noisy_sum(std::move(budgets[c]), stream, {.values = sum, .bound = sums.bound});
    std::copy(released.value.values.begin(), released.value.values.end(), sum.begin());
    variances[c] = released.value.variance;
    spent[c] = released.guarantee;
  });
  return {variances.front(), all_of(spent)};
}

NoisyClasses release_class_counts(BoundedSum& counts, Budget budget, const FitStreams& streams) {
  const size_t classes = counts.values.size();
  const BudgetSpec spec = budget.spec();
  // Of discrete Laplace noise, about; of Gaussian noise for a norm of 1.
  const Rational variance =
      spec.notion == Notion::pure ? Rational(2 / (spec.amount * spec.amount)) : Rational(1 / (2 * budget.rho()));
  std::vector<Budget> budgets = Budget::parallel(std::move(budget), classes);
  std::vector<std::optional<Guarantee>> spent(classes);
  for (size_t c = 0; c < classes; ++c) {
    Random stream = streams.class_count(c);
    auto released = noisy_count(std::move(budgets[c]), stream, counts.values[c]);
    counts.values[c] = released.value;
    spent[c] = released.guarantee;
  }
  return {variance, all_of(spent)};
}

NoisySizes release_class_sizes(const PrivateAccess& access, size_t classes, Budget budget, const FitStreams& streams) {
  BoundedSum counts = class_counts(access, classes);
  const NoisyClasses released = release_class_counts(counts, std::move(budget), streams);
  return {std::move(counts.values), released.variance.get_d(), released.guarantee};
}

}  // namespace dppl
