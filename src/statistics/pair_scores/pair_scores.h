#pragma once

#include <algorithm>
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
  int64_t total(int128 sum) const { return static_cast<int64_t>(sum >> shift()); }

  // No cosine is clipped: scores are sums, and their sum needs the sum of the records only.
  bool whole() const { return low <= -kCosineOne && high >= kCosineOne; }
};

// Records packed for the kernels (dot_kernels.h): panels of 16, as bytes with an offset of 128.
class RecordPanels {
 public:
  explicit RecordPanels(const QuantisedRows& rows);

  size_t records() const { return records_; }
  size_t dim() const { return dim_; }
  size_t panels() const { return factors_.size() / 16; }
  size_t steps() const { return steps_; }
  const uint8_t* panel(size_t i) const { return bytes_.data() + i * steps_ * 64; }
  const double* factors(size_t i) const { return factors_.data() + i * 16; }

 private:
  size_t records_, dim_, steps_;
  std::vector<uint8_t> bytes_;
  std::vector<double> factors_;  // 0 for the records that fill the last panel up
};

// scores[j] = the total over all records of the score with candidate indices[j], as ScoreRange tells it.
void sum_scores(const RecordPanels& records, const QuantisedRows& candidates, std::span<const uint32_t> indices,
                ScoreRange range, std::span<int64_t> scores);

// dots[j·records + i] = the dot product of record i with candidate first + j, for all records and `count` candidates.
void dots_with(const RecordPanels& records, const QuantisedRows& candidates, size_t first, size_t count,
               std::span<int32_t> dots);

}  // namespace dppl
