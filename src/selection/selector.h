#pragma once

#include <mutex>
#include <optional>

#include "selection/class_summary.h"
#include "selection/select.h"

namespace dppl {

// What selection has in common wherever the pool is.
class Selector {
 public:
  // `candidates`: rows of the pool.
  Selector(const SelectionTask& task, size_t candidates, std::vector<Budget> budgets, Random& random,
           SelectionWork* work);

 protected:
  // Whether few scores are needed: of the exponential mechanism.
  bool is_lazy() const { return !task_.joint && task_.mechanism == SelectionMechanism::exponential; }

  // Side by side where there are enough classes; otherwise each with all threads.
  void each_class(size_t begin, size_t end, const std::function<void(size_t c, unsigned threads)>& work) const;

  Choice draw_from_all(size_t c, Random& stream, std::span<const int64_t> scores);
  std::vector<Choice> choices();

  // So many more classes are done, and this part of another one.
  void report(size_t more, double part = 0);
  void count(const ClassSummary& summary, size_t evaluated);

  const SelectionTask& task_;
  const size_t candidates_;
  std::vector<Budget> budgets_;
  const Random& random_;
  std::vector<std::optional<Choice>> choices_;

 private:
  SelectionWork* work_;
  std::mutex mutex_;
  size_t done_ = 0;
};

// Classes at once for which every row of the pool takes so many bytes: as many as fit kDotMemory or about an eighth of
// the pool, whichever is more, in whole panels.
size_t classes_together(size_t rows, size_t dim, size_t bytes_per_row);

}  // namespace dppl
