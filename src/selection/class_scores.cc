#include "selection/class_scores.h"

#include "numbers/parallel.h"

namespace dppl {
namespace {

// Multiply-adds that take some milliseconds.
constexpr size_t kWorthThreads = size_t{1} << 28;

}  // namespace

ClassScores::ClassScores(const QuantisedRows& records, ClassSummary summary, const QuantisedRows& pool,
                         ScoreRange range, unsigned threads)
    : pool_(pool),
      range_(range),
      threads_(std::max(threads, 1u)),
      summary_(std::move(summary)),
      panels_(range.whole() ? QuantisedRows(0, records.dim()) : records) {}

void ClassScores::evaluate(std::span<const uint32_t> candidates, std::span<int64_t> scores) const {
  // More threads only where they are worth starting: other classes may be at work beside this one.
  const size_t products = candidates.size() * (range_.whole() ? 1 : summary_.records) * pool_.dim();
  const unsigned threads = products < kWorthThreads ? 1 : threads_;
  const size_t block = std::clamp<size_t>(candidates.size() / (2 * threads) + 1, 16, 1024);
  parallel_blocks(candidates.size(), block, threads, [&](size_t begin, size_t end, unsigned) {
    const auto some = candidates.subspan(begin, end - begin);
    const auto out = scores.subspan(begin, end - begin);
    if (!range_.whole()) return sum_scores(panels_, pool_, some, range_, out);
    for (size_t j = 0; j < some.size(); ++j) out[j] = whole_score(some[j]);
  });
}

// Where nothing is cut: Σ (cosine − low) needs the class's sum only.
int64_t ClassScores::whole_score(uint32_t candidate) const {
  const int8_t* row = pool_.row(candidate);
  int64_t dot = 0;
  for (size_t k = 0; k < pool_.dim(); ++k) dot += row[k] * summary_.sum[k];
  return dot * pool_.factor(candidate) - static_cast<int64_t>(summary_.records) * range_.low;
}

void ClassScores::bound(const WordColumn& column, std::span<const int32_t> dots, std::span<int64_t> upper) const {
  const ScoreBound bound(summary_, range_, column.error);
  const double unit = 1 / column.scale;
  for (size_t i = 0; i < upper.size(); ++i) {
    upper[i] = bound(static_cast<double>(dots[i]) * pool_.factor(i) * unit);
  }
}

}  // namespace dppl
