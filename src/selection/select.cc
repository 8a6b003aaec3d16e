#include "selection/select.h"

#include <numeric>

#include "base/parallel.h"
#include "selection/class_scores.h"
#include "selection/constants.h"
#include "selection/selector.h"

namespace dppl {
namespace {

class LocalSelector : Selector {
 public:
  LocalSelector(const SelectionTask& task, const ShardedRows& pool, std::vector<Budget> budgets, Random& random,
                SelectionWork* work)
      : Selector(task, pool.rows(), std::move(budgets), random, work), pool_(pool), longest_(longest_row(pool)) {
    if (task.scores != nullptr) task.scores->resize(task.classes);
  }

  std::vector<Choice> run() {
    // The exponential mechanism needs few scores: classes whose bounds come from one pass over the pool.
    const size_t together = is_lazy() ? classes_together(pool_.rows(), pool_.dim(), sizeof(int32_t)) : 1;
    for (size_t begin = 0; begin < task_.classes; begin += together) {
      run_group(begin, std::min(begin + together, task_.classes));
    }
    return choices();
  }

 private:
  using Dots = std::unique_ptr<int32_t[]>;

  // A record is quantised once; those of a group are in memory together where scores are computed from them.
  void run_group(size_t begin, size_t end) {
    std::vector<ClassSummary> summaries(is_lazy() ? end - begin : 0);
    std::vector<WordColumn> columns(summaries.size());
    std::vector<std::optional<WeightedRows>> members(summaries.size());
    if (is_lazy()) {
      each_class(begin, end, [&](size_t c, unsigned threads) {
        ClassSummary& summary = summaries[c - begin];
        std::optional<WeightedRows>& records = members[c - begin];
        records = task_.records(c, threads);
        summary = summarise(*records, !task_.range.whole(), threads);
        if (task_.range.whole()) records.reset();
        columns[c - begin] = WordColumn::of(summary.shared_sum(), longest_);
      });
    }
    const std::vector<Dots> dots = multiply(columns);
    std::vector<Random> streams;
    for (size_t c = begin; c < end; ++c) streams.push_back(random_.stream(c));
    each_class(begin, end, [&](size_t c, unsigned threads) {
      const size_t j = c - begin;
      // Where nothing is clipped, the sum of the records is all that is needed.
      const WeightedRows records = !is_lazy()            ? task_.records(c, threads)
                                   : task_.range.whole() ? WeightedRows(QuantisedRows(0, pool_.dim()))
                                                         : std::move(*members[j]);
      const ClassScores scores(records, is_lazy() ? std::move(summaries[j]) : summarise(records, false, threads), pool_,
                               task_.range, task_.threads, longest_);
      choices_[c] =
          is_lazy() ? draw_lazily(c, streams[j], scores, columns[j], dots[j].get()) : draw(c, streams[j], scores);
      report(1);
    });
  }

  std::vector<Dots> multiply(std::span<const WordColumn> columns) const {
    std::vector<Dots> dots;
    for (size_t j = 0; j < columns.size(); ++j) {
      dots.push_back(std::make_unique_for_overwrite<int32_t[]>(pool_.rows()));
    }
    const ColumnPanels panels(columns);
    parallel_blocks(columns.empty() ? 0 : pool_.rows(), kRowBlock, task_.threads,
                    [&](size_t begin, size_t end, unsigned) {
                      pool_.each_piece(begin, end, [&](size_t s, size_t from, size_t to) {
                        std::vector<int32_t*> out;
                        for (const Dots& one : dots) out.push_back(one.get() + pool_.first(s) + from);
                        panels.multiply(pool_.shard(s), from, to, out);
                        pool_.shard(s).give_back(from, to);
                      });
                    });
    return dots;
  }

  Choice draw_lazily(size_t c, Random& stream, const ClassScores& scores, const WordColumn& column,
                     const int32_t* dots) {
    const auto memory = std::make_unique_for_overwrite<int64_t[]>(pool_.rows());
    const std::span values(memory.get(), pool_.rows());
    scores.bound(column, {dots, values.size()}, values);
    BoundedUtilities utilities{
        values,
        [&](std::span<const uint32_t> candidates, std::span<int64_t> out) { evaluate(c, scores, candidates, out); },
        task_.range.per_record()};
    if (scores.can_tighten()) {
      utilities.tighten = [&](std::span<const uint32_t> candidates, std::span<int64_t> upper) {
        scores.tighten(candidates, upper);
      };
    }
    const Released<size_t> one = lazy_exponential(std::move(budgets_[c]), stream, utilities);
    count(scores.summary(), utilities.evaluated);
    return {{one.value}, one.guarantee};
  }

  // Takes from the kept scores what is there, and computes and keeps the rest.
  void evaluate(size_t c, const ClassScores& scores, std::span<const uint32_t> candidates,
                std::span<int64_t> out) const {
    if (task_.scores == nullptr) return scores.evaluate(candidates, out);
    std::vector<int64_t>& kept = (*task_.scores)[c];
    if (kept.empty()) kept.assign(pool_.rows(), -1);
    std::vector<uint32_t> missing;
    std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(missing),
                 [&](uint32_t i) { return kept[i] < 0; });
    std::vector<int64_t> computed(missing.size());
    scores.evaluate(missing, computed);
    for (size_t j = 0; j < missing.size(); ++j) kept[missing[j]] = computed[j];
    for (size_t j = 0; j < candidates.size(); ++j) out[j] = kept[candidates[j]];
  }

  Choice draw(size_t c, Random& stream, const ClassScores& scores) {
    std::vector<uint32_t> all(pool_.rows());
    std::iota(all.begin(), all.end(), uint32_t{0});
    std::vector<int64_t> values(all.size());
    for (size_t begin = 0; begin < all.size(); begin += kProgressSlice) {
      const size_t size = std::min(kProgressSlice, all.size() - begin);
      evaluate(c, scores, std::span(all).subspan(begin, size), std::span(values).subspan(begin, size));
      pool_.each_piece(begin, begin + size,
                       [&](size_t s, size_t from, size_t to) { pool_.shard(s).give_back(from, to); });
      if (begin + size < all.size()) report(0, static_cast<double>(begin + size) / static_cast<double>(all.size()));
    }
    count(scores.summary(), all.size());
    return draw_from_all(c, stream, values);
  }

  const ShardedRows& pool_;
  const double longest_;
};

}  // namespace

std::vector<Choice> select_rows(const SelectionTask& task, const ShardedRows& pool, std::vector<Budget> budgets,
                                Random& random, SelectionWork* work) {
  return LocalSelector(task, pool, std::move(budgets), random, work).run();
}

}  // namespace dppl
