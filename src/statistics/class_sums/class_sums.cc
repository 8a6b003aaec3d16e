#include "statistics/class_sums/class_sums.h"

#include <optional>

#include "base/parallel.h"
#include "dppl/mechanisms.h"
#include "rows/class_rows.h"
#include "rows/integer_row.h"

namespace dppl {
namespace {

constexpr size_t kBlock = 256;

}  // namespace

double clip_of(const Hyperparameters& hyperparameters) {
  return hyperparameters.norm ? hyperparameters.norm->get_d() : 0;
}

ClassSums class_sums(const FitInput& input, double clip) {
  const size_t dim = input.transform.output_dim(), size = input.classes * dim;
  // Where the transform only scales, the row itself has the same direction: no copy.
  const bool in_place =
      input.transform.basis().empty() && input.transform.mean().empty() && input.transform.spec().average_pool == 1;
  std::vector<ClassSums> parts(std::max(input.threads, 1u));
  parallel_blocks(input.access.size(), kBlock, input.threads, [&](size_t begin, size_t end, unsigned thread) {
    ClassSums& part = parts[thread];
    part.sums.resize(size);
    part.counts.resize(input.classes);
    thread_local std::vector<float> scratch;
    scratch.resize(input.access.embeddings().dim());
    TransformedBlock block(input.transform);
    std::span<const float> rows;
    if (!in_place) {
      rows =
          block.load(input.access.embeddings(), end - begin, [&](size_t i) { return input.access.row_of(begin + i); });
    }
    for (size_t i = begin; i < end; ++i) {
      const auto label = static_cast<size_t>(input.access.labels()[i]);
      add_integer_row(in_place ? input.access.row_view(i, scratch) : rows.subspan((i - begin) * dim, dim), clip,
                      std::span(part.sums).subspan(label * dim, dim));
      ++part.counts[label];
    }
  });
  ClassSums total{std::vector<int64_t>(size), std::vector<int64_t>(input.classes)};
  for (const ClassSums& part : parts) {
    for (size_t i = 0; i < part.sums.size(); ++i) total.sums[i] += part.sums[i];
    for (size_t i = 0; i < part.counts.size(); ++i) total.counts[i] += part.counts[i];
  }
  return total;
}

NoisySums release_sums(std::vector<int64_t>& sums, size_t classes, NormBound bound, Budget budget, Random& random,
                       unsigned threads) {
  const size_t dim = sums.size() / classes;
  std::vector<Budget> budgets = Budget::parallel(std::move(budget), classes);
  std::vector<std::optional<Guarantee>> spent(classes);
  std::vector<Rational> variances(classes);
  parallel_blocks(classes, 1, threads, [&](size_t c, size_t, unsigned) {
    Random stream = random.stream(c);
    const auto sum = std::span(sums).subspan(c * dim, dim);
    auto released = noisy_sum(std::move(budgets[c]), stream,
                              {.values = sum, .norm_squared = bound.squared, .relation = bound.relation});
    std::copy(released.value.values.begin(), released.value.values.end(), sum.begin());
    variances[c] = released.value.variance;
    spent[c] = released.guarantee;
  });
  Guarantee total = *spent.front();
  for (size_t c = 1; c < classes; ++c) total = compose_disjoint(total, *spent[c]);
  return {variances.front(), total};
}

}  // namespace dppl
