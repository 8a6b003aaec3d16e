#include "dppl/mechanisms.h"
#include "numbers/parallel.h"
#include "prototypes/class_rows.h"
#include "prototypes/method.h"
#include "similarity/dot.h"

// DPPL-Public and DPPL-PublicK: per class one or K rows of the public pool, chosen by how near the class's records they
// are. A record adds to every candidate's score an integer in {0, …, kScoreTop} that depends on the record and the
// candidate alone.
namespace dppl {
namespace {

constexpr size_t kBlock = 256;

// Transformed and quantised rows of a matrix.
template <typename RowOf>
ScoreRows score_rows(const Embeddings& embeddings, size_t count, const PublicTransform& transform, unsigned threads,
                     RowOf row_of) {
  const size_t dim = transform.output_dim();
  ScoreRows rows(count, dim);
  parallel_blocks(count, kBlock, threads, [&](size_t begin, size_t end, unsigned) {
    TransformedBlock block(transform);
    const auto values = block.load(embeddings, end - begin, [&](size_t i) { return row_of(begin + i); });
    for (size_t i = begin; i < end; ++i) rows.set(i, values.subspan((i - begin) * dim, dim));
  });
  return rows;
}

ScoreRange range_of(const Hyperparameters& hyperparameters) {
  return {static_cast<float>(hyperparameters.clip_min.get_d() - 1),
          static_cast<float>(hyperparameters.clip_max.get_d() - 1)};
}

Released<std::vector<size_t>> select(const Hyperparameters& hyperparameters, Budget budget, Random& random,
                                     const Utilities& utilities) {
  if (hyperparameters.method == Method::public_k)
    return joint_top_k(std::move(budget), random, utilities, hyperparameters.k);
  const auto mechanism = hyperparameters.selection == Selection::exponential        ? exponential
                         : hyperparameters.selection == Selection::permute_and_flip ? permute_and_flip
                                                                                    : laplace_max;
  Released<size_t> one = mechanism(std::move(budget), random, utilities);
  return {{one.value}, one.guarantee};
}

}  // namespace

Prototypes fit_public(const FitInput& input, Budget budget, Random& random) {
  const Embeddings& pool = input.pool->embeddings();
  const ScoreRows candidates =
      score_rows(pool, pool.rows(), input.transform, input.threads, [](size_t i) { return i; });
  const auto records = records_by_class(input.access, input.classes);
  std::vector<Budget> budgets = Budget::parallel(std::move(budget), input.classes);

  Prototypes result;
  result.per_class = input.hyperparameters.method == Method::public_k ? input.hyperparameters.k : 1;
  std::optional<Guarantee> total;
  std::vector<int64_t> scores(pool.rows());
  size_t done = 0;
  for (size_t c = 0; c < input.classes; ++c) {
    const ScoreRows members = score_rows(input.access.embeddings(), records[c].size(), input.transform, input.threads,
                                         [&](size_t i) { return input.access.row_of(records[c][i]); });
    std::fill(scores.begin(), scores.end(), int64_t{0});
    parallel_blocks(scores.size(), kBlock, input.threads, [&](size_t begin, size_t end, unsigned) {
      add_scores(members, candidates, begin, range_of(input.hyperparameters),
                 std::span(scores).subspan(begin, end - begin));
    });
    Random stream = random.stream(c);
    auto released = select(input.hyperparameters, std::move(budgets[c]), stream, {scores, kScoreTop});
    total = total ? compose_disjoint(*total, released.guarantee) : released.guarantee;
    result.pool_indices.insert(result.pool_indices.end(), released.value.begin(), released.value.end());
    done += records[c].size();
    if (input.progress)
      input.progress(static_cast<double>(done) / static_cast<double>(std::max<size_t>(input.access.size(), 1)));
  }
  result.guarantee = *total;

  TransformedBlock block(input.transform);
  const auto chosen = block.load(pool, result.pool_indices.size(), [&](size_t i) { return result.pool_indices[i]; });
  result.values.assign(chosen.begin(), chosen.end());
  return result;
}

}  // namespace dppl
