#include "selection/class_scores.h"

#include <limits>

#include "base/parallel.h"
#include "selection/clusters.h"
#include "selection/constants.h"

namespace dppl {
namespace {

// The sum of records of so much weight times a row, of at most 2^kFactorBits and 2^16 in length, stays below 2^62.
constexpr int128 kMostFor64Bits = int128{1} << 25;
constexpr int kLowBits = 32;

template <typename Integer>
Integer dot(const int8_t* row, std::span<const int64_t> sum) {
  Integer result = 0;
  for (size_t k = 0; k < sum.size(); ++k) result += row[k] * static_cast<Integer>(sum[k]);
  return result;
}

}  // namespace

ClassScores::ClassScores(const WeightedRows& records, ClassSummary summary, const QuantisedRows& pool, ScoreRange range,
                         unsigned threads)
    : records_(records),
      pool_(pool),
      range_(range),
      threads_(std::max(threads, 1u)),
      summary_(std::move(summary)),
      panels_(range.whole() ? WeightedRows(QuantisedRows(0, records.rows.dim())) : records) {
  if (!range.whole()) return;
  const bool one_part = summary_.weight <= kMostFor64Bits;
  for (const int128 value : summary_.sum) {
    const int128 high = one_part ? int128{0} : value >> kLowBits;
    low_.push_back(static_cast<int64_t>(value - (high << kLowBits)));
    if (!one_part) high_.push_back(static_cast<int64_t>(high));
  }
}

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

// Where nothing is clipped: Σ weight·(cosine − low) needs the class's sum only. The lower part has 32 bits, so that
// its products with a row fit 64 for any number of dimensions there can be.
int64_t ClassScores::whole_score(uint32_t candidate) const {
  const int8_t* row = pool_.row(candidate);
  int128 cosines = dot<int64_t>(row, low_);
  if (!high_.empty()) {
    const bool small = summary_.weight >> kLowBits <= kMostFor64Bits;
    cosines += (small ? int128{dot<int64_t>(row, high_)} : dot<int128>(row, high_)) << kLowBits;
  }
  return range_.total(cosines * pool_.factor(candidate) - summary_.weight * range_.low, summary_.denominator);
}

bool ClassScores::can_tighten() const {
  const bool numbered = summary_.records <= std::numeric_limits<uint32_t>::max();  // groups hold 32-bit numbers
  return !range_.whole() && summary_.records >= kFewestInACluster * kClusters && numbered;
}

void ClassScores::tighten(std::span<const uint32_t> candidates, std::span<int64_t> upper) const {
  const double longest = longest_row(pool_);
  std::vector<WordColumn> columns;
  std::vector<ScoreBound> bounds;
  for (const auto& members : cluster(records_.rows, kClusters)) {
    const ClassSummary summary = summarise(records_.gather(members), true, 1);
    columns.push_back(WordColumn::of(summary.shared_sum(), longest));
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
