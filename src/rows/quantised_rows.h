#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace dppl {

class MappedFile;

// Cosines on an integer grid: the cosine of two quantised rows is factor·factor·dot, an integer between −kCosineOne and
// kCosineOne.
inline constexpr int kFactorBits = 21;
inline constexpr int64_t kCosineOne = int64_t{1} << (2 * kFactorBits);

// The factor of a row whose values have this sum of squares.
uint32_t cosine_factor(uint64_t squares);

// Rows as 8-bit integers for integer dot products. A row depends on nothing but the row it was made of:
//   value_k = row_k·scale, rounded, with the scale that gives the largest |row_2k| + |row_2k+1| the value 127;
//   factor  = the largest integer with factor²·Σ value² <= 2^(2·kFactorBits); 0 for a row of zeros;
//   sum     = Σ value_k.
// So |value_2k| + |value_2k+1| <= 128: two products with bytes up to 255 fit 16 bits with their sign, which the AVX2
// kernel needs. And by Cauchy and Schwarz |factor·factor·dot| <= kCosineOne.
class QuantisedRows {
 public:
  // A dot product with bytes up to 255 fits 32 bits: 255·128 for each pair of dimensions.
  static constexpr size_t kLargestDim = 100000;

  // Rows of zeros, in memory.
  QuantisedRows(size_t rows, size_t dim);
  // Rows that are elsewhere, for instance in a mapped file; `owner` keeps them alive. At least kSlack bytes behind the
  // last value can be read. `file` is where they are, for expect() and give_back().
  QuantisedRows(std::shared_ptr<const void> owner, size_t dim, const int8_t* values, std::span<const uint32_t> factors,
                std::span<const int32_t> sums, const MappedFile* file = nullptr);
  static constexpr size_t kSlack = 4;
  // From values alone, row by row. Throws InvalidInput for rows that are none that set() makes.
  static QuantisedRows of_values(std::span<const int8_t> values, size_t dim);

  // Copies of some rows.
  QuantisedRows gather(std::span<const uint32_t> indices) const;

  // These rows and, behind them, so many copies of those.
  QuantisedRows followed_by(const QuantisedRows& others, size_t copies) const;

  size_t rows() const { return factors_.size(); }
  size_t dim() const { return dim_; }
  const int8_t* row(size_t i) const { return values_ + i * dim_; }
  uint32_t factor(size_t i) const { return factors_[i]; }
  int32_t sum(size_t i) const { return sums_[i]; }
  std::span<const uint32_t> factors() const { return factors_; }
  std::span<const int32_t> sums() const { return sums_; }

  // Advice for rows of a mapped file, which changes no value: rows that will soon be read, and rows that were read
  // (base/mapped_file.h).
  void expect(size_t begin, size_t end) const;
  void give_back(size_t begin, size_t end) const;

  // Only for rows in memory. Returns the scale that leads back: value_k·scale is row_k, rounded. Precondition: finite
  // values.
  float set(size_t i, std::span<const float> row);

 private:
  struct Memory;
  std::shared_ptr<const void> owner_;
  const MappedFile* file_ = nullptr;
  Memory* memory_ = nullptr;
  size_t dim_;
  const int8_t* values_;
  std::span<const uint32_t> factors_;
  std::span<const int32_t> sums_;
};

}  // namespace dppl
