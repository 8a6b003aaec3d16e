#include "selection/class_scores.h"

#include <limits>

#include "base/parallel.h"
#include "selection/clusters.h"
#include "selection/constants.h"

namespace dppl {
ClassScores::ClassScores(const QuantisedRows& records, ClassSummary summary, const QuantisedRows& pool,
                         ScoreRange range, unsigned threads)
    : records_(records),
      pool_(pool),
      range_(range),
      threads_(std::max(threads, 1u)),
      summary_(std::move(summary)),
      panels_(range.whole() ? QuantisedRows(0, records.dim()) : records) {}

void ClassScores::evaluate(std::span<const uint32_t> candidates, std::span<int64_t> scores) const {
  // More threads only where they are worth starting: other classes may be at work beside this one.
  const size_t products = candidates.size() * (range_.whole() ? 1 : summary_.records) * pool_.dim();
  const unsigned threads = products < kWorthThreads ? 1 : threads_;
  const size_t block = std::clamp<size_t>(candidates.size() / (2 * threads) + 1, 16, kPoolBlock);
  parallel_blocks(candidates.size(), block, threads, [&](size_t begin, size_t end, unsigned) {
    const auto some = candidates.subspan(begin, end - begin);
    const auto out = scores.subspan(begin, end - begin);
    if (!range_.whole()) return sum_scores(panels_, pool_, some, range_, out);
    for (size_t j = 0; j < some.size(); ++j) out[j] = whole_score(some[j]);
  });
}

namespace {

template <typename Integer>
Integer dot(const int8_t* row, std::span<const int64_t> sum) {
  Integer result = 0;
  for (size_t k = 0; k < sum.size(); ++k) result += row[k] * static_cast<Integer>(sum[k]);
  return result;
}

// The sum of so many records times a row, both of at most 2^kFactorBits and 2^16 in length, stays below 2^62.
constexpr size_t kMostFor64Bits = size_t{1} << 25;

}  // namespace

// Where nothing is clipped: Σ (cosine − low) needs the class's sum only.
int64_t ClassScores::whole_score(uint32_t candidate) const {
  const int8_t* row = pool_.row(candidate);
  const int128 cosines =
      summary_.records <= kMostFor64Bits ? dot<int64_t>(row, summary_.sum) : dot<int128>(row, summary_.sum);
  return range_.total(cosines * pool_.factor(candidate) - static_cast<int128>(summary_.records) * range_.low);
}

bool ClassScores::can_tighten() const {
  const bool numbered = summary_.records <= std::numeric_limits<uint32_t>::max();  // groups hold 32-bit numbers
  return !range_.whole() && summary_.records >= kFewestInACluster * kClusters && numbered;
}

void ClassScores::tighten(std::span<const uint32_t> candidates, std::span<int64_t> upper) const {
  const double longest = longest_row(pool_);
  std::vector<WordColumn> columns;
  std::vector<ScoreBound> bounds;
  for (const auto& members : cluster(records_, kClusters)) {
    const ClassSummary summary = summarise(records_.gather(members), true, 1);
    columns.push_back(WordColumn::of(summary.sum, longest));
    bounds.emplace_back(summary, range_, columns.back().error);
  }
  const ColumnPanels panels(columns);
  const size_t products = candidates.size() * columns.size() * pool_.dim();
  parallel_blocks(candidates.size(), kPoolBlock, products < kWorthThreads ? 1 : threads_,
                  [&](size_t begin, size_t end, unsigned) {
                    const QuantisedRows rows = pool_.gather(candidates.subspan(begin, end - begin));
                    std::vector<int32_t> dots(columns.size() * rows.rows());
                    std::vector<int32_t*> out;
                    for (size_t j = 0; j < columns.size(); ++j) out.push_back(dots.data() + j * rows.rows());
                    panels.multiply(rows, 0, rows.rows(), out);
                    for (size_t i = 0; i < rows.rows(); ++i) {
                      int64_t sum = 0;
                      for (size_t j = 0; j < columns.size(); ++j) {
                        sum += bounds[j](static_cast<double>(out[j][i]) * rows.factor(i) / columns[j].scale);
                      }
                      upper[begin + i] = sum;
                    }
                  });
}

void ClassScores::bound(const WordColumn& column, std::span<const int32_t> dots, std::span<int64_t> upper) const {
  const ScoreBound bound(summary_, range_, column.error);
  const double unit = 1 / column.scale;
  for (size_t i = 0; i < upper.size(); ++i) {
    upper[i] = bound(static_cast<double>(dots[i]) * pool_.factor(i) * unit);
  }
}

}  // namespace dppl
