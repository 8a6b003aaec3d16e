#include "base/parallel.h"
#include "mechanisms/exponential/lazy_exponential.h"
#include "selection/class_scores.h"
#include "selection/constants.h"
#include "selection/remote_shards.h"
#include "selection/selector.h"

namespace dppl {
namespace {

// The pool's rows are on other machines. Classes of a group go on side by side, so that a request to a shard has the
// questions of all of them.
class RemoteSelector : Selector {
 public:
  RemoteSelector(const SelectionTask& task, RemotePool& pool, std::vector<Budget> budgets, Random& random,
                 SelectionWork* work)
      : Selector(task, pool.description().size(), std::move(budgets), random, work),
        shards_(pool),
        sizes_(shards_.sizes()) {}

  std::vector<Choice> run() {
    const auto lock = shards_.use();
    // A bound of every row, and whether it is one; of few rows where nothing is clipped.
    const size_t rows = *std::max_element(sizes_.begin(), sizes_.end()),
                 bytes = task_.range.whole() ? sizeof(int32_t) : sizeof(int64_t) + 1;
    const size_t together = is_lazy() ? classes_together(rows, shards_.dim(), bytes) : 1;
    for (size_t begin = 0; begin < task_.classes; begin += together) {
      const size_t end = std::min(begin + together, task_.classes);
      if (is_lazy()) {
        draw_lazily(begin, end);
      } else {
        draw(begin);
      }
    }
    return choices();
  }

 private:
  Start start_of(size_t begin, size_t end) const {
    Start start{is_lazy(), task_.range, shards_.longest(), {}};
    std::vector<std::optional<StartedClass>> classes(end - begin);
    each_class(begin, end, [&](size_t c, unsigned threads) {
      WeightedRows records = task_.records(c, threads);
      ClassSummary summary = summarise(records, is_lazy() && !task_.range.whole(), threads);
      // Where nothing is clipped, the sum of the records is all that is needed.
      if (task_.range.whole()) records = WeightedRows(QuantisedRows(0, shards_.dim()));
      classes[c - begin] = StartedClass{std::move(summary), 0, std::move(records)};
    });
    for (std::optional<StartedClass>& one : classes) start.classes.push_back(std::move(*one));
    return start;
  }

  void draw_lazily(size_t begin, size_t end) {
    Start start = start_of(begin, end);
    std::vector<Random> streams;
    for (size_t c = begin; c < end; ++c) streams.push_back(random_.stream(c));
    std::vector<LazyExponential> draws;
    draws.reserve(end - begin);
    for (size_t j = 0; j < end - begin; ++j) {
      draws.emplace_back(std::move(budgets_[begin + j]), streams[j], sizes_, task_.range.per_record(),
                         ClassScores::can_tighten(start.classes[j].summary, task_.range));
      start.classes[j].unit = draws[j].unit();
    }
    shards_.ask_all(RequestKind::start, to_bytes(start));
    for (StartedClass& one : start.classes) one.records = WeightedRows(QuantisedRows(0, shards_.dim()));

    std::vector<size_t> open(draws.size());
    for (size_t j = 0; j < open.size(); ++j) open[j] = j;
    while (!open.empty()) {
      ask(draws, open);
      std::erase_if(open, [&](size_t j) {
        if (!draws[j].is_drawn()) return false;
        const Released<size_t> one = draws[j].release();
        choices_[begin + j] = {{one.value}, one.guarantee};
        count(start.classes[j].summary, draws[j].evaluated());
        report(1);
        return true;
      });
    }
  }

  // What these draws ask now, in one request per shard.
  void ask(std::vector<LazyExponential>& draws, std::span<const size_t> open) {
    std::vector<std::vector<ClassQuestion>> of_shard(sizes_.size());
    for (const size_t j : open) {
      for (const auto& [shard, question] : draws[j].questions()) of_shard[shard].push_back({j, question});
    }
    std::vector<RemoteShards::Asked> asked;
    for (size_t s = 0; s < of_shard.size(); ++s) {
      if (of_shard[s].empty()) continue;
      asked.push_back({s, std::make_shared<const std::string>(to_bytes(std::span<const ClassQuestion>(of_shard[s])))});
    }
    const std::vector<std::string> bodies = shards_.ask(RequestKind::questions, asked);
    std::vector<std::vector<LazyAnswer>> said(sizes_.size());
    for (size_t k = 0; k < asked.size(); ++k) {
      said[asked[k].shard] = read_answers(bodies[k]);
      if (said[asked[k].shard].size() != of_shard[asked[k].shard].size()) {
        throw InvalidInput("shards: a reply has another number of answers");
      }
    }
    std::vector<size_t> next(sizes_.size());
    std::vector<std::vector<LazyAnswer>> own(open.size());
    for (size_t k = 0; k < open.size(); ++k) {
      for (const auto& one : draws[open[k]].questions()) own[k].push_back(std::move(said[one.part][next[one.part]++]));
    }
    parallel_blocks(open.size(), 1, task_.threads,
                    [&](size_t k, size_t, unsigned) { draws[open[k]].take(std::exchange(own[k], {})); });
    report(0);  // where the caller may stop it
  }

  void draw(size_t c) {
    const Start start = start_of(c, c + 1);
    shards_.ask_all(RequestKind::start, to_bytes(start));
    std::vector<int64_t> scores(candidates_);
    const size_t rows = *std::max_element(sizes_.begin(), sizes_.end());
    for (size_t begin = 0; begin < rows; begin += kScoresAtOnce) {
      std::vector<RemoteShards::Asked> asked;
      for (size_t s = 0; s < sizes_.size(); ++s) {
        if (begin >= sizes_[s]) continue;
        const ScoresOf some{0, begin, std::min(begin + kScoresAtOnce, sizes_[s])};
        asked.push_back({s, std::make_shared<const std::string>(to_bytes(some))});
      }
      const std::vector<std::string> bodies = shards_.ask(RequestKind::scores, asked);
      size_t first = 0, k = 0;
      for (size_t s = 0; s < sizes_.size(); first += sizes_[s++]) {
        if (begin >= sizes_[s]) continue;
        const auto some = read_scores(bodies[k++], std::min(begin + kScoresAtOnce, sizes_[s]) - begin);
        std::copy(some.begin(), some.end(), scores.begin() + static_cast<std::ptrdiff_t>(first + begin));
      }
      if (begin + kScoresAtOnce < rows) report(0, static_cast<double>(begin) / static_cast<double>(rows));
    }
    count(start.classes[0].summary, candidates_);
    Random stream = random_.stream(c);
    choices_[c] = draw_from_all(c, stream, scores);
    report(1);
  }

  RemoteShards shards_;
  const std::vector<uint64_t> sizes_;
};

}  // namespace

std::vector<Choice> select_rows(const SelectionTask& task, RemotePool& pool, std::vector<Budget> budgets,
                                Random& random, SelectionWork* work) {
  return RemoteSelector(task, pool, std::move(budgets), random, work).run();
}

}  // namespace dppl
