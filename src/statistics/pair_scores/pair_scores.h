#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "dppl/rational.h"
#include "numbers/integers.h"
#include "rows/quantised_rows.h"

// The score of a pair (record, candidate): its cosine on the integer grid, clipped to a range. A function of the two
// quantised rows alone, and exact: 0 <= score <= top.
namespace dppl {

struct ScoreRange {
  int64_t low, high;  // of the cosine, in units of 1/kCosineOne

  // [clip_min, clip_max] of 1 + cosine, rounded outward.
  static ScoreRange of(const Rational& clip_min, const Rational& clip_max);

  int64_t top() const { return high - low; }

  // The sum over records is told in units of 2^shift(), rounded down, so that no number of records that a machine can
  // hold overflows: with at most 2^23 a record, 2^39 records stay within the 62 bits that mechanisms take.
  // One record adds between 0 and top() to the sum, so between 0 and per_record() to what is told: ⌊(a + b)/c⌋ − ⌊a/c⌋
  // is at least 0 and at most ⌈b/c⌉.
  int shift() const { return std::max(static_cast<int>(std::bit_width(static_cast<uint64_t>(top()))) - 23, 0); }
  int64_t per_record() const { return (top() >> shift()) + ((top() & ((int64_t{1} << shift()) - 1)) != 0 ? 1 : 0); }
  // A sum of scores, each times a weight of so many parts of `denominator`.
  int64_t total(int128 sum, int64_t denominator = 1) const {
    return static_cast<int64_t>((sum >> shift()) / denominator);  // of a sum that is not negative
  }

  // No cosine is clipped: scores are sums, and their sum needs the sum of the records only.
  bool whole() const { return low <= -kCosineOne && high >= kCosineOne; }
};

// Records and how much each counts: weights[i]/denominator. No weights: each counts 1, whatever the denominator.
struct WeightedRows {
  WeightedRows(QuantisedRows some, std::vector<int64_t> their_weights = {}, int64_t parts = 1)
      : rows(std::move(some)), weights(std::move(their_weights)), denominator(parts) {}

  QuantisedRows rows;
  std::vector<int64_t> weights;
  int64_t denominator;

  int64_t weight(size_t i) const { return weights.empty() ? denominator : weights[i]; }
  // The same as a fraction; at most 1.
  double share(size_t i) const { return static_cast<double>(weight(i)) / static_cast<double>(denominator); }
  // Puts so many copies of public rows behind the records, each of full weight.
  void add_public(const QuantisedRows& known, size_t copies);
  WeightedRows gather(std::span<const uint32_t> indices) const;
};

// Records packed for the kernels (dot_kernels.h): panels of 16, as bytes with an offset of 128, in the order of their
// weights.
class RecordPanels {
 public:
  static constexpr int32_t kOffset = 128;

  explicit RecordPanels(const WeightedRows& records);

  // The records of a panel that have one weight.
  struct Run {
    size_t panel;
    int64_t weight;
    size_t records;
    std::array<double, 16> factors;  // 0 for records of other weights and for those that fill the last panel up
  };

  size_t records() const { return records_; }
  size_t dim() const { return dim_; }
  size_t panels() const { return panels_; }
  size_t steps() const { return steps_; }
  int64_t denominator() const { return denominator_; }
  const uint8_t* panel(size_t i) const { return lines_[i * steps_].bytes; }
  std::span<const Run> runs() const { return runs_; }

 private:
  struct alignas(64) Line {  // of a cache, so that no load of a step crosses two
    uint8_t bytes[64] = {};
  };
  size_t records_, dim_, steps_, panels_;
  int64_t denominator_;
  std::vector<Line> lines_;  // a step each
  std::vector<Run> runs_;
};

// scores[j] = the total over all records of weight × score with candidate indices[j], as ScoreRange tells it.
void sum_scores(const RecordPanels& records, const QuantisedRows& candidates, std::span<const uint32_t> indices,
                ScoreRange range, std::span<int64_t> scores);

// dots[j·records + i] = the dot product of record i with candidate first + j, for all records and `count` candidates.
// For records without weights, which are in their own order.
void dots_with(const RecordPanels& records, const QuantisedRows& candidates, size_t first, size_t count,
               std::span<int32_t> dots);

}  // namespace dppl
