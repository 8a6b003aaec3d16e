#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dppl {

// Rows quantised for scoring: 8-bit integers, the largest of a row ±127, padded with zeros to `stride`; and 1/‖row‖ of
// the integers, so that dot·inverse·inverse is the cosine of the quantised rows. A row depends on nothing but the row
// it was made of.
class ScoreRows {
 public:
  static constexpr size_t kAlign = 32;
  static constexpr size_t kLargestDim = 100000;

  ScoreRows(size_t rows, size_t dim);

  size_t rows() const { return inverse_norms_.size(); }
  size_t dim() const { return dim_; }
  size_t stride() const { return stride_; }
  const int8_t* row(size_t i) const { return values_.data() + i * stride_; }
  float inverse_norm(size_t i) const { return inverse_norms_[i]; }
  std::span<const float> inverse_norms() const { return inverse_norms_; }

  // An all-zero row is allowed (a transform can make one); its cosines are 0.
  void set(size_t i, std::span<const float> row);

 private:
  size_t dim_, stride_;
  std::vector<int8_t> values_;
  std::vector<float> inverse_norms_;
};

// How a pair's cosine becomes an integer in {0, …, kScoreTop}: its position between `low` and `high`, cut off at both.
struct ScoreRange {
  float low, high;
};
inline constexpr int64_t kScoreTop = 1 << 15;

// Adds to scores[j] the pair scores of all `records` with candidate first + j. Exact integers, the same on every
// instruction set.
void add_scores(const ScoreRows& records, const ScoreRows& candidates, size_t first, ScoreRange range,
                std::span<int64_t> scores);

// The same by the plainest possible code, for tests.
void add_scores_reference(const ScoreRows& records, const ScoreRows& candidates, size_t first, ScoreRange range,
                          std::span<int64_t> scores);

}  // namespace dppl
