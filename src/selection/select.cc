#include "selection/select.h"

#include <numeric>

#include "numbers/parallel.h"
#include "selection/class_scores.h"

namespace dppl {
namespace {

// Bytes for the dot products of some classes' columns with the whole pool.
constexpr size_t kColumnBytes = size_t{256} << 20;
constexpr size_t kPoolBlock = 1024;
// Candidates between two reports of progress.
constexpr size_t kSlice = size_t{1} << 16;

class Selector {
 public:
  Selector(const SelectionTask& task, std::vector<Budget> budgets, Random& random, SelectionWork* work)
      : task_(task),
        budgets_(std::move(budgets)),
        random_(random),
        work_(work),
        lazy_(!task.joint && task.mechanism == Selection::exponential),
        scores_(task.pool.rows()) {}

  std::vector<Choice> run() {
    // The exponential mechanism needs few scores: classes whose bounds come from one pass over the pool.
    const size_t together =
        lazy_ ? std::clamp<size_t>(kColumnBytes / (4 * task_.pool.rows()) / 16 * 16, 16, 256) : size_t{1};
    const double longest = longest_row(task_.pool);
    std::vector<Choice> choices;
    for (size_t begin = 0; begin < task_.classes; begin += together) {
      const auto group = prepare(begin, std::min(begin + together, task_.classes));
      std::vector<WordColumn> columns;
      if (lazy_) {
        for (const auto& scores : group) columns.push_back(WordColumn::of(scores->summary().sum, longest));
      }
      const auto dots = multiply(columns);
      for (size_t j = 0; j < group.size(); ++j) {
        choices.push_back(lazy_ ? draw_lazily(begin + j, *group[j], columns[j], dots[j]) : draw(begin + j, *group[j]));
        report(begin + j, 1);
      }
    }
    return choices;
  }

 private:
  // Side by side where there are enough classes.
  std::vector<std::unique_ptr<ClassScores>> prepare(size_t begin, size_t end) const {
    std::vector<std::unique_ptr<ClassScores>> group(end - begin);
    const bool apart = group.size() >= task_.threads;
    parallel_blocks(group.size(), 1, apart ? task_.threads : 1, [&](size_t j, size_t, unsigned) {
      const unsigned inside = apart ? 1 : task_.threads;
      const QuantisedRows records = task_.records(begin + j, inside);
      group[j] = std::make_unique<ClassScores>(records, summarise(records, lazy_ && !task_.range.whole(), inside),
                                               task_.pool, task_.range, task_.threads);
    });
    return group;
  }

  std::vector<std::vector<int32_t>> multiply(std::span<const WordColumn> columns) const {
    std::vector<std::vector<int32_t>> dots(columns.size(), std::vector<int32_t>(task_.pool.rows()));
    const ColumnPanels panels(columns);
    parallel_blocks(columns.empty() ? 0 : task_.pool.rows(), kPoolBlock, task_.threads,
                    [&](size_t begin, size_t end, unsigned) {
                      std::vector<int32_t*> out;
                      for (auto& one : dots) out.push_back(one.data() + begin);
                      panels.multiply(task_.pool, begin, end, out);
                    });
    return dots;
  }

  Choice draw_lazily(size_t c, const ClassScores& scores, const WordColumn& column, std::span<const int32_t> dots) {
    scores.bound(column, dots, scores_);
    BoundedUtilities utilities{
        scores_,
        [&](std::span<const uint32_t> candidates, std::span<int64_t> out) { scores.evaluate(candidates, out); },
        task_.range.top()};
    Random stream = random_.stream(c);
    const Released<size_t> one = lazy_exponential(std::move(budgets_[c]), stream, utilities);
    count(scores, utilities.evaluated);
    return {{one.value}, one.guarantee};
  }

  Choice draw(size_t c, const ClassScores& scores) {
    std::vector<uint32_t> all(task_.pool.rows());
    std::iota(all.begin(), all.end(), uint32_t{0});
    for (size_t begin = 0; begin < all.size(); begin += kSlice) {
      const size_t size = std::min(kSlice, all.size() - begin);
      scores.evaluate(std::span(all).subspan(begin, size), std::span(scores_).subspan(begin, size));
      report(c, static_cast<double>(begin + size) / static_cast<double>(all.size()));
    }
    count(scores, all.size());
    const Utilities utilities{scores_, task_.range.top()};
    Random stream = random_.stream(c);
    if (task_.joint) return joint_top_k(std::move(budgets_[c]), stream, utilities, task_.k);
    const auto mechanism = task_.mechanism == Selection::permute_and_flip ? permute_and_flip : laplace_max;
    const Released<size_t> one = mechanism(std::move(budgets_[c]), stream, utilities);
    return {{one.value}, one.guarantee};
  }

  // Class c is done to this part, and all before it.
  void report(size_t c, double part) const {
    if (task_.progress) task_.progress((static_cast<double>(c) + part) / static_cast<double>(task_.classes));
  }

  void count(const ClassScores& scores, size_t candidates) {
    if (work_ == nullptr) return;
    work_->pairs += scores.summary().records * task_.pool.rows();
    work_->evaluated += scores.summary().records * candidates;
  }

  const SelectionTask& task_;
  std::vector<Budget> budgets_;
  Random& random_;
  SelectionWork* work_;
  bool lazy_;
  std::vector<int64_t> scores_;
};

}  // namespace

std::vector<Choice> select_rows(const SelectionTask& task, std::vector<Budget> budgets, Random& random,
                                SelectionWork* work) {
  return Selector(task, std::move(budgets), random, work).run();
}

}  // namespace dppl
