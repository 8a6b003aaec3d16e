#include "selection/select.h"

#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "mechanisms/exponential/lazy_exponential.h"
#include "selection/constants.h"
#include "selection/near_candidates.h"
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
    if (!is_lazy()) {
      for (size_t c = 0; c < task_.classes; ++c) draw_from_all_scores(c);
      return choices();
    }
    // Where nothing is clipped most classes need a list of few candidates, otherwise a dot product for each.
    const size_t together = classes_together(pool_.rows(), pool_.dim(), task_.range.whole() ? 1 : sizeof(int32_t));
    for (size_t begin = 0; begin < task_.classes; begin += together) {
      run_group(begin, std::min(begin + together, task_.classes));
    }
    return choices();
  }

 private:
  using Dots = std::unique_ptr<int32_t[]>;

  struct Prepared {
    Prepared(const WeightedRows& records, ClassSummary summary, const LocalSelector& all)
        : scores(records, std::move(summary), all.pool_, all.task_.range, all.task_.threads, all.longest_),
          column(WordColumn::of(scores.summary().shared_sum(), all.longest_)) {}

    ClassScores scores;
    WordColumn column;
  };

  // A record is quantised once; those of a group are in memory together where scores are computed from them.
  void run_group(size_t begin, size_t end) {
    std::vector<std::optional<Prepared>> prepared(end - begin);
    each_class(begin, end, [&](size_t c, unsigned threads) {
      const WeightedRows records = task_.records(c, threads);
      ClassSummary summary = summarise(records, !task_.range.whole(), threads);
      // Where nothing is clipped, the sum of the records is all that is needed.
      prepared[c - begin].emplace(task_.range.whole() ? WeightedRows(QuantisedRows(0, pool_.dim())) : records,
                                  std::move(summary), *this);
    });
    std::vector<size_t> others = draw_from_near(begin, prepared);
    const size_t together = classes_together(pool_.rows(), pool_.dim(), sizeof(int32_t));
    for (size_t first = 0; first < others.size(); first += together) {
      const auto some = std::span(others).subspan(first, std::min(together, others.size() - first));
      std::vector<WordColumn> columns;
      for (const size_t j : some) columns.push_back(prepared[j]->column);
      std::vector<Dots> dots = multiply(columns);
      each_class(0, some.size(), [&](size_t k, unsigned) {
        const size_t j = some[k];
        draw_from_all_bounds(begin + j, *prepared[j], std::exchange(dots[k], nullptr).get());
        prepared[j].reset();
      });
    }
  }

  // Draws for the classes of which few candidates count. Returns the others.
  std::vector<size_t> draw_from_near(size_t first, std::vector<std::optional<Prepared>>& prepared) {
    std::vector<size_t> others(prepared.size());
    std::iota(others.begin(), others.end(), size_t{0});
    if (!task_.range.whole()) return others;
    std::vector<Rational> units;
    for (size_t j = 0; j < prepared.size(); ++j) {
      units.push_back(exponential_unit(budgets_[first + j], task_.range.per_record()));
    }
    std::vector<NearTask> tasks;
    for (size_t j = 0; j < prepared.size(); ++j) {
      tasks.push_back({prepared[j]->scores, prepared[j]->column, units[j]});
    }
    std::vector<std::optional<NearCandidates>> found = find_near(tasks, pool_, task_.threads);
    each_class(0, prepared.size(), [&](size_t j, unsigned) {
      if (!found[j]) return;
      draw_lazily(first + j, prepared[j]->scores, {.upper = found[j]->upper, .some = found[j]->of(pool_.rows())});
      prepared[j].reset();
    });
    std::erase_if(others, [&](size_t j) { return found[j].has_value(); });
    return others;
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

  void draw_from_all_bounds(size_t c, const Prepared& one, const int32_t* dots) {
    const auto memory = std::make_unique_for_overwrite<int64_t[]>(pool_.rows());
    const std::span values(memory.get(), pool_.rows());
    one.scores.bound(one.column, {dots, values.size()}, values);
    draw_lazily(c, one.scores, {.upper = values});
  }

  void draw_lazily(size_t c, const ClassScores& scores, BoundedValues values) {
    values.evaluate = [&](std::span<const uint32_t> candidates, std::span<int64_t> out) {
      evaluate(c, scores, candidates, out);
    };
    if (scores.can_tighten()) {
      values.tighten = [&](std::span<const uint32_t> candidates, std::span<int64_t> upper) {
        scores.tighten(candidates, upper);
      };
    }
    Random stream = random_.stream(c);
    size_t evaluated = 0;
    const Released<size_t> one =
        lazy_exponential(std::move(budgets_[c]), stream, std::move(values), task_.range.per_record(), evaluated);
    count(scores.summary(), evaluated);
    choices_[c] = {{one.value}, one.guarantee};
    report(1);
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

  void draw_from_all_scores(size_t c) {
    const WeightedRows records = task_.records(c, task_.threads);
    const ClassScores scores(records, summarise(records, false, task_.threads), pool_, task_.range, task_.threads,
                             longest_);
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
    Random stream = random_.stream(c);
    choices_[c] = draw_from_all(c, stream, values);
    report(1);
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
