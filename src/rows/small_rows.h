#pragma once

#include <cstdint>
#include <span>
#include <vector>

// Records as small integers, for statistics that are sums of products.
namespace dppl {

// 2-norm of the largest such row. Products of two of them add up exactly in double, in any order, over 2^28 records.
inline constexpr int64_t kSmallRadius = 1 << 12;

// integer_row() of `row`, as small: 2-norm at most kSmallRadius where the row is of length `clip` or more, else in
// proportion.
void small_row(std::span<const float> row, double clip, std::span<int32_t> out);

// Integer rows (integer_row.h), made small and kept. Each is of 2-norm at most kSmallRadius and a function of its
// record alone.
class SmallRows {
 public:
  SmallRows(size_t rows, size_t dim) : dim_(dim), values_(rows * dim) {}

  size_t rows() const { return values_.size() / dim_; }
  size_t dim() const { return dim_; }
  std::span<const int16_t> row(size_t i) const { return std::span(values_).subspan(i * dim_, dim_); }
  // From an integer row of 2-norm at most kRadius.
  void set(size_t i, std::span<const int32_t> integer_row);

 private:
  size_t dim_;
  std::vector<int16_t> values_;
};

}  // namespace dppl
