#include "selection/class_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "selection/clusters.h"
#include "selection/constants.h"

namespace dppl {
namespace {

// Digits between −2^(bits − 1) and 2^(bits − 1), of which no dot product with a row leaves 32 bits: by Cauchy and
// Schwarz every partial sum is at most 2^(bits − 1)·√dim·longest.
int bits_of_digit(size_t dim, double longest) {
  const double room = 0x1p31 / (std::sqrt(static_cast<double>(dim)) * longest) * (1 - 0x1p-20);
  return std::min(1 + std::ilogb(room), 15);
}

// Integers as Σ_j digit_j·2^(bits·j).
std::vector<WordColumn> digits_of(std::vector<int128> values, int bits) {
  const int128 half = int128{1} << (bits - 1);
  std::vector<WordColumn> digits;
  const auto is_zero = [](int128 value) { return value == 0; };
  do {
    std::vector<int16_t>& words = digits.emplace_back().words;
    for (int128& value : values) {
      const int128 rest = (value + half) >> bits;
      words.push_back(static_cast<int16_t>(value - (rest << bits)));
      value = rest;
    }
  } while (!std::ranges::all_of(values, is_zero));
  return digits;
}

}  // namespace

ClassScores::ClassScores(const WeightedRows& records, ClassSummary summary, ShardedRows pool, ScoreRange range,
                         unsigned threads, double longest)
    : records_(records),
      pool_(std::move(pool)),
      range_(range),
      threads_(std::max(threads, 1u)),
      longest_(longest),
      summary_(std::move(summary)),
      panels_(range.whole() ? WeightedRows(QuantisedRows(0, records.rows.dim())) : records) {
  if (!range.whole()) return;
  bits_ = bits_of_digit(pool_.dim(), longest_);
  const std::vector<WordColumn> digits = digits_of(summary_.sum, bits_);
  digits_ = digits.size();
  sum_.emplace(digits);
}

void ClassScores::evaluate(std::span<const uint32_t> candidates, std::span<int64_t> scores) const {
  // More threads only where they are worth starting: other classes may be at work beside this one.
  const size_t products = candidates.size() * (range_.whole() ? 1 : summary_.records) * pool_.dim();
  const unsigned threads = products < kWorthThreads ? 1 : threads_;
  const size_t block = std::clamp<size_t>(candidates.size() / (2 * threads) + 1, 16, kRowBlock);
  parallel_blocks(candidates.size(), block, threads, [&](size_t begin, size_t end, unsigned) {
    const auto out = scores.subspan(begin, end - begin);
    pool_.each_run(candidates.subspan(begin, end - begin), [&](size_t s, std::span<const uint32_t> some, size_t place) {
      const QuantisedRows& rows = pool_.shard(s);
      const auto part = out.subspan(place, some.size());
      if (range_.whole()) return whole_scores(rows.gather(some), part);
      sum_scores(panels_, rows, some, range_, part);
    });
  });
}

// Where nothing is clipped: Σ weight·(cosine − low) needs the class's sum only.
void ClassScores::whole_scores(const QuantisedRows& rows, std::span<int64_t> scores) const {
  std::vector<int32_t> dots(digits_ * rows.rows());
  std::vector<int32_t*> of_digit;
  for (size_t j = 0; j < digits_; ++j) of_digit.push_back(dots.data() + j * rows.rows());
  sum_->multiply(rows, 0, rows.rows(), of_digit);
  for (size_t i = 0; i < rows.rows(); ++i) {
    int128 cosines = 0;
    for (size_t j = digits_; j-- > 0;) cosines = (cosines << bits_) + of_digit[j][i];
    scores[i] = range_.total(cosines * rows.factor(i) - summary_.weight * range_.low, summary_.denominator);
  }
}

bool ClassScores::can_tighten(const ClassSummary& summary, ScoreRange range) {
  const bool numbered = summary.records <= std::numeric_limits<uint32_t>::max();  // groups hold 32-bit numbers
  return !range.whole() && summary.records >= kFewestInACluster * kClusters && numbered;
}

void ClassScores::tighten(std::span<const uint32_t> candidates, std::span<int64_t> upper) const {
  std::vector<WordColumn> columns;
  std::vector<ScoreBound> bounds;
  for (const auto& members : cluster(records_.rows, kClusters)) {
    const ClassSummary summary = summarise(records_.gather(members), true, 1);
    columns.push_back(WordColumn::of(summary.shared_sum(), longest_));
    bounds.emplace_back(summary, range_, columns.back().error);
  }
  const ColumnPanels panels(columns);
  const size_t products = candidates.size() * columns.size() * pool_.dim();
  const auto of_rows = [&](const QuantisedRows& rows, std::span<int64_t> out) {
    std::vector<int32_t> dots(columns.size() * rows.rows());
    std::vector<int32_t*> of_column;
    for (size_t j = 0; j < columns.size(); ++j) of_column.push_back(dots.data() + j * rows.rows());
    panels.multiply(rows, 0, rows.rows(), of_column);
    for (size_t i = 0; i < rows.rows(); ++i) {
      int64_t sum = 0;
      for (size_t j = 0; j < columns.size(); ++j) {
        sum += bounds[j](static_cast<double>(of_column[j][i]) * rows.factor(i) / columns[j].scale);
      }
      out[i] = sum;
    }
  };
  parallel_blocks(candidates.size(), kRowBlock, products < kWorthThreads ? 1 : threads_,
                  [&](size_t begin, size_t end, unsigned) {
                    pool_.each_run(candidates.subspan(begin, end - begin),
                                   [&](size_t s, std::span<const uint32_t> some, size_t place) {
                                     of_rows(pool_.shard(s).gather(some), upper.subspan(begin + place, some.size()));
                                   });
                  });
}

void ClassScores::bound(const WordColumn& column, std::span<const int32_t> dots, std::span<int64_t> upper,
                        size_t begin) const {
  const ScoreBound bound = score_bound(column);
  const double unit = 1 / column.scale;
  pool_.each_piece(begin, begin + upper.size(), [&](size_t s, size_t from, size_t to) {
    const QuantisedRows& rows = pool_.shard(s);
    const size_t place = pool_.first(s) + from - begin;
    for (size_t i = from; i < to; ++i) {
      upper[place + i - from] = bound(static_cast<double>(dots[place + i - from]) * rows.factor(i) * unit);
    }
  });
}

void ClassScores::bound(const WordColumn& column, std::span<const uint32_t> candidates,
                        std::span<int64_t> upper) const {
  const ScoreBound bound = score_bound(column);
  const double unit = 1 / column.scale;
  const ColumnPanels panel({&column, 1});
  std::vector<int32_t> dots(kRowBlock);
  int32_t* const out[] = {dots.data()};
  pool_.each_run(candidates, [&](size_t s, std::span<const uint32_t> some, size_t place) {
    for (size_t begin = 0; begin < some.size(); begin += kRowBlock) {
      const QuantisedRows rows = pool_.shard(s).gather(some.subspan(begin, std::min(kRowBlock, some.size() - begin)));
      panel.multiply(rows, 0, rows.rows(), out);
      for (size_t i = 0; i < rows.rows(); ++i) {
        upper[place + begin + i] = bound(static_cast<double>(dots[i]) * rows.factor(i) * unit);
      }
    }
  });
}

}  // namespace dppl
