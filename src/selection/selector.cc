#include "selection/selector.h"

#include <algorithm>

#include "base/parallel.h"
#include "kernels/dot_kernels.h"
#include "selection/constants.h"

namespace dppl {

Selector::Selector(const SelectionTask& task, size_t candidates, std::vector<Budget> budgets, Random& random,
                   SelectionWork* work)
    : task_(task),
      candidates_(candidates),
      budgets_(std::move(budgets)),
      random_(random),
      choices_(task.classes),
      work_(work) {}

void Selector::each_class(size_t begin, size_t end, const std::function<void(size_t c, unsigned threads)>& work) const {
  const bool apart = end - begin >= task_.threads;
  parallel_blocks(end - begin, 1, apart ? task_.threads : 1,
                  [&](size_t j, size_t, unsigned) { work(begin + j, apart ? 1 : task_.threads); });
}

Choice Selector::draw_from_all(size_t c, Random& stream, std::span<const int64_t> scores) {
  const Utilities utilities{scores, task_.range.per_record()};
  if (task_.joint) return joint_top_k(std::move(budgets_[c]), stream, utilities, task_.k);
  const auto mechanism = task_.mechanism == SelectionMechanism::permute_and_flip ? permute_and_flip : laplace_max;
  const Released<size_t> one = mechanism(std::move(budgets_[c]), stream, utilities);
  return {{one.value}, one.guarantee};
}

std::vector<Choice> Selector::choices() {
  std::vector<Choice> result;
  for (std::optional<Choice>& choice : choices_) result.push_back(std::move(*choice));
  return result;
}

void Selector::report(size_t more, double part) {
  const std::lock_guard lock(mutex_);
  done_ += more;
  if (task_.progress) task_.progress((static_cast<double>(done_) + part) / static_cast<double>(task_.classes));
}

void Selector::count(const ClassSummary& summary, size_t evaluated) {
  const std::lock_guard lock(mutex_);
  if (work_ == nullptr) return;
  work_->pairs += summary.records * candidates_;
  work_->evaluated += summary.records * evaluated;
}

size_t classes_together(size_t rows, size_t dim, size_t bytes_per_row) {
  const size_t fitting = std::max(kDotMemory / (bytes_per_row * rows), dim / (8 * bytes_per_row));
  return std::clamp((fitting + kPanel - 1) / kPanel * kPanel, kPanel, kMostClassesTogether);
}

}  // namespace dppl
