#include "methods/method.h"
#include "rows/class_rows.h"
#include "rows/pool_file.h"
#include "rows/public_access.h"
#include "selection/select.h"

// DPPL-Public and DPPL-PublicK: per class one or K rows of the public pool, chosen by how near the class's records they
// are. A record adds to every candidate's score an integer between 0 and ScoreRange::top() that depends on the record
// and the candidate alone (statistics/pair_scores/pair_scores.h).
namespace dppl {
Prototypes fit_public(const FitInput& input, AddRemoveBudget budget, Random& random) {
  const Embeddings& embeddings = input.pool->embeddings();
  const PoolFile* file = PublicAccess(*input.pool).pool_file();
  // A pool file's rows are ready, unless another transform was asked for.
  const bool ready = file != nullptr && file->info().transform == input.transform.spec();
  const QuantisedRows pool =
      ready ? file->rows()
            : quantise(embeddings, embeddings.rows(), input.transform, input.threads, [](size_t i) { return i; });
  const auto records = records_by_class(input.access, input.classes);
  const Hyperparameters& how = input.hyperparameters;
  const SelectionTask task{.pool = pool,
                           .classes = input.classes,
                           .records =
                               [&](size_t c, unsigned threads) {
                                 return quantise(input.access.embeddings(), records[c].size(), input.transform, threads,
                                                 [&](size_t i) { return input.access.row_of(records[c][i]); });
                               },
                           .range = ScoreRange::of(how.clip_min, how.clip_max),
                           .mechanism = how.selection,
                           .k = how.k,
                           .joint = how.method == Method::public_k,
                           .threads = input.threads,
                           .scores = input.scores,
                           .progress = input.progress};
  Prototypes result;
  result.per_class = task.joint ? task.k : 1;
  std::optional<Guarantee> total;
  for (const Choice& choice : select_rows(task, Budget::parallel(std::move(budget).take(), input.classes), random)) {
    total = total ? compose_disjoint(*total, choice.guarantee) : choice.guarantee;
    result.pool_indices.insert(result.pool_indices.end(), choice.value.begin(), choice.value.end());
  }
  result.guarantee = *total;

  if (ready) {
    for (const size_t i : result.pool_indices) {
      for (size_t k = 0; k < pool.dim(); ++k) {
        result.values.push_back(static_cast<float>(pool.row(i)[k]) * file->scales()[i]);
      }
    }
    return result;
  }
  TransformedBlock block(input.transform);
  const auto chosen =
      block.load(embeddings, result.pool_indices.size(), [&](size_t i) { return result.pool_indices[i]; });
  result.values.assign(chosen.begin(), chosen.end());
  return result;
}

}  // namespace dppl
