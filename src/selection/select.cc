#include "selection/select.h"

#include <mutex>
#include <numeric>
#include <optional>

#include "base/parallel.h"
#include "kernels/dot_kernels.h"
#include "selection/class_scores.h"
#include "selection/constants.h"

namespace dppl {
namespace {

// Classes whose dot products with the whole pool (4 bytes each) are in memory at once: as many as fit kDotMemory or
// about an eighth of the pool, whichever is more, in whole panels.
size_t classes_together(const QuantisedRows& pool) {
  const size_t fitting = std::max(kDotMemory / (4 * pool.rows()), pool.dim() / 32);
  return std::clamp((fitting + kPanel - 1) / kPanel * kPanel, kPanel, kMostClassesTogether);
}

class Selector {
 public:
  Selector(const SelectionTask& task, std::vector<Budget> budgets, Random& random, SelectionWork* work)
      : task_(task),
        budgets_(std::move(budgets)),
        random_(random),
        work_(work),
        lazy_(!task.joint && task.mechanism == SelectionMechanism::exponential),
        choices_(task.classes) {
    if (task.scores != nullptr) task.scores->resize(task.classes);
  }

  std::vector<Choice> run() {
    // The exponential mechanism needs few scores: classes whose bounds come from one pass over the pool.
    const size_t together = lazy_ ? classes_together(task_.pool) : 1;
    for (size_t begin = 0; begin < task_.classes; begin += together) {
      run_group(begin, std::min(begin + together, task_.classes));
    }
    std::vector<Choice> choices;
    for (std::optional<Choice>& choice : choices_) choices.push_back(std::move(*choice));
    return choices;
  }

 private:
  using Dots = std::unique_ptr<int32_t[]>;

  // A record is quantised once; those of a group are in memory together where scores are computed from them.
  void run_group(size_t begin, size_t end) {
    std::vector<ClassSummary> summaries(lazy_ ? end - begin : 0);
    std::vector<WordColumn> columns(summaries.size());
    std::vector<std::optional<WeightedRows>> members(summaries.size());
    if (lazy_) {
      const double longest = longest_row(task_.pool);
      each_class(begin, end, [&](size_t c, unsigned threads) {
        ClassSummary& summary = summaries[c - begin];
        std::optional<WeightedRows>& records = members[c - begin];
        records = task_.records(c, threads);
        summary = summarise(*records, !task_.range.whole(), threads);
        if (task_.range.whole()) records.reset();
        columns[c - begin] = WordColumn::of(summary.shared_sum(), longest);
      });
    }
    const std::vector<Dots> dots = multiply(columns);
    std::vector<Random> streams;
    for (size_t c = begin; c < end; ++c) streams.push_back(random_.stream(c));
    each_class(begin, end, [&](size_t c, unsigned threads) {
      const size_t j = c - begin;
      // Where nothing is clipped, the sum of the records is all that is needed.
      const WeightedRows records = !lazy_                ? task_.records(c, threads)
                                   : task_.range.whole() ? WeightedRows(QuantisedRows(0, task_.pool.dim()))
                                                         : std::move(*members[j]);
      const ClassScores scores(records, lazy_ ? std::move(summaries[j]) : summarise(records, false, threads),
                               task_.pool, task_.range, task_.threads);
      choices_[c] = lazy_ ? draw_lazily(c, streams[j], scores, columns[j], dots[j].get()) : draw(c, streams[j], scores);
      report(1);
    });
  }

  // Side by side where there are enough classes; otherwise each with all threads.
  void each_class(size_t begin, size_t end, const std::function<void(size_t c, unsigned threads)>& work) const {
    const bool apart = end - begin >= task_.threads;
    parallel_blocks(end - begin, 1, apart ? task_.threads : 1,
                    [&](size_t j, size_t, unsigned) { work(begin + j, apart ? 1 : task_.threads); });
  }

  std::vector<Dots> multiply(std::span<const WordColumn> columns) const {
    std::vector<Dots> dots;
    for (size_t j = 0; j < columns.size(); ++j) {
      dots.push_back(std::make_unique_for_overwrite<int32_t[]>(task_.pool.rows()));
    }
    const ColumnPanels panels(columns);
    parallel_blocks(columns.empty() ? 0 : task_.pool.rows(), kPoolBlock, task_.threads,
                    [&](size_t begin, size_t end, unsigned) {
                      std::vector<int32_t*> out;
                      for (const Dots& one : dots) out.push_back(one.get() + begin);
                      panels.multiply(task_.pool, begin, end, out);
                    });
    return dots;
  }

  Choice draw_lazily(size_t c, Random& stream, const ClassScores& scores, const WordColumn& column,
                     const int32_t* dots) {
    const auto memory = std::make_unique_for_overwrite<int64_t[]>(task_.pool.rows());
    const std::span values(memory.get(), task_.pool.rows());
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
    count(scores, utilities.evaluated);
    return {{one.value}, one.guarantee};
  }

  // Takes from the kept scores what is there, and computes and keeps the rest.
  void evaluate(size_t c, const ClassScores& scores, std::span<const uint32_t> candidates,
                std::span<int64_t> out) const {
    if (task_.scores == nullptr) return scores.evaluate(candidates, out);
    std::vector<int64_t>& kept = (*task_.scores)[c];
    if (kept.empty()) kept.assign(task_.pool.rows(), -1);
    std::vector<uint32_t> missing;
    std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(missing),
                 [&](uint32_t i) { return kept[i] < 0; });
    std::vector<int64_t> computed(missing.size());
    scores.evaluate(missing, computed);
    for (size_t j = 0; j < missing.size(); ++j) kept[missing[j]] = computed[j];
    for (size_t j = 0; j < candidates.size(); ++j) out[j] = kept[candidates[j]];
  }

  Choice draw(size_t c, Random& stream, const ClassScores& scores) {
    std::vector<uint32_t> all(task_.pool.rows());
    std::iota(all.begin(), all.end(), uint32_t{0});
    std::vector<int64_t> values(all.size());
    for (size_t begin = 0; begin < all.size(); begin += kProgressSlice) {
      const size_t size = std::min(kProgressSlice, all.size() - begin);
      evaluate(c, scores, std::span(all).subspan(begin, size), std::span(values).subspan(begin, size));
      if (begin + size < all.size()) report(0, static_cast<double>(begin + size) / static_cast<double>(all.size()));
    }
    count(scores, all.size());
    const Utilities utilities{values, task_.range.per_record()};
    if (task_.joint) return joint_top_k(std::move(budgets_[c]), stream, utilities, task_.k);
    const auto mechanism = task_.mechanism == SelectionMechanism::permute_and_flip ? permute_and_flip : laplace_max;
    const Released<size_t> one = mechanism(std::move(budgets_[c]), stream, utilities);
    return {{one.value}, one.guarantee};
  }

  // So many more classes are done, and this part of another one.
  void report(size_t more, double part = 0) {
    const std::lock_guard lock(mutex_);
    done_ += more;
    if (task_.progress) task_.progress((static_cast<double>(done_) + part) / static_cast<double>(task_.classes));
  }

  void count(const ClassScores& scores, size_t candidates) {
    const std::lock_guard lock(mutex_);
    if (work_ == nullptr) return;
    work_->pairs += scores.summary().records * task_.pool.rows();
    work_->evaluated += scores.summary().records * candidates;
  }

  const SelectionTask& task_;
  std::vector<Budget> budgets_;
  Random& random_;
  SelectionWork* work_;
  bool lazy_;
  std::vector<std::optional<Choice>> choices_;
  std::mutex mutex_;
  size_t done_ = 0;
};

}  // namespace

std::vector<Choice> select_rows(const SelectionTask& task, std::vector<Budget> budgets, Random& random,
                                SelectionWork* work) {
  return Selector(task, std::move(budgets), random, work).run();
}

}  // namespace dppl
