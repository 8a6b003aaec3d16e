#include "kernels/row_math.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/kernel_dispatch.h"

namespace dppl {
namespace {

// Partial sums, enough to hide the latency of an addition, folded in one fixed order.
constexpr size_t kLanes = 32;
// Values that become integers before they are used: they stay in the first-level cache, and both loops are vectorised.
constexpr size_t kBlock = 256;

template <CpuLevel kLevel>
DPPL_INLINE double sum_of_squares_body(const float* x, size_t n) {
  double lanes[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) {
      const auto value = static_cast<double>(x[i + l]);
      lanes[l] += value * value;
    }
  }
  for (size_t l = 0; i < n; ++i, ++l) lanes[l] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  for (size_t half = kLanes / 2; half > 0; half /= 2) {
    for (size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  }
  return lanes[0];
}

template <CpuLevel kLevel>
DPPL_INLINE void scale_row_body(const float* x, size_t n, double scale, float* out) {
  for (size_t i = 0; i < n; ++i) out[i] = static_cast<float>(static_cast<double>(x[i]) * scale);
}

// Independent results side by side, one register wide (GCC's vector extension); the arithmetic of a lane does not
// depend on the width.
template <CpuLevel kLevel>
struct Register {
  static constexpr size_t kWidth = kLevel == CpuLevel::avx2 ? 8 : 4;
  using Lanes [[gnu::vector_size(4 * kWidth)]] = float;

  DPPL_INLINE void load(const float* from) { std::memcpy(&lanes, from, sizeof lanes); }
  DPPL_INLINE void store(float* to) const { std::memcpy(to, &lanes, sizeof lanes); }
  DPPL_INLINE void add_product(float factor, const Register& other) { lanes += factor * other.lanes; }

  Lanes lanes;
};

// out[a][b] += Σ_r left[r·left_step + a·left_row]·right[r·right_step + b]: a tile of kRows × kVectors registers.
template <CpuLevel kLevel, size_t kRows, size_t kVectors>
DPPL_INLINE void product_tile(const float* left, size_t left_step, size_t left_row, const float* right,
                              size_t right_step, size_t count, float* out, size_t out_row) {
  constexpr size_t kWidth = Register<kLevel>::kWidth;
  Register<kLevel> sums[kRows][kVectors];
  for (size_t a = 0; a < kRows; ++a) {
    for (size_t v = 0; v < kVectors; ++v) sums[a][v].load(out + a * out_row + kWidth * v);
  }
  for (size_t r = 0; r < count; ++r) {
    Register<kLevel> factors[kVectors];
    for (size_t v = 0; v < kVectors; ++v) factors[v].load(right + r * right_step + kWidth * v);
    for (size_t a = 0; a < kRows; ++a) {
      const float value = left[r * left_step + a * left_row];
      for (size_t v = 0; v < kVectors; ++v) sums[a][v].add_product(value, factors[v]);
    }
  }
  for (size_t a = 0; a < kRows; ++a) {
    for (size_t v = 0; v < kVectors; ++v) sums[a][v].store(out + a * out_row + kWidth * v);
  }
}

// One result at a time, for the edges: the same order of the same additions.
DPPL_INLINE void product_cell(const float* left, size_t left_step, const float* right, size_t right_step, size_t count,
                              float* out) {
  float sum = *out;
  for (size_t r = 0; r < count; ++r) sum += left[r * left_step] * right[r * right_step];
  *out = sum;
}

// kRows rows of results, `columns` wide.
template <CpuLevel kLevel, size_t kRows>
DPPL_INLINE void product_band(const float* left, size_t left_step, size_t left_row, const float* right,
                              size_t right_step, size_t count, size_t columns, float* out, size_t out_row) {
  constexpr size_t kVectors = 2, kWide = kVectors * Register<kLevel>::kWidth;
  size_t k = 0;
  for (; k + kWide <= columns; k += kWide) {
    product_tile<kLevel, kRows, kVectors>(left, left_step, left_row, right + k, right_step, count, out + k, out_row);
  }
  for (; k < columns; ++k) {
    for (size_t a = 0; a < kRows; ++a)
      product_cell(left + a * left_row, left_step, right + k, right_step, count, out + a * out_row + k);
  }
}

// Rows of a product at once, times two registers: as many sums as there are registers for.
constexpr size_t kBand = 4;

template <CpuLevel kLevel>
DPPL_INLINE void project_rows_body(const float* rows, size_t count, size_t inner, const float* basis, size_t outer,
                                   float* out) {
  std::fill_n(out, count * outer, 0.0f);
  size_t r = 0;
  for (; r + kBand <= count; r += kBand) {
    product_band<kLevel, kBand>(rows + r * inner, 1, inner, basis, outer, inner, outer, out + r * outer, outer);
  }
  for (; r < count; ++r)
    product_band<kLevel, 1>(rows + r * inner, 1, inner, basis, outer, inner, outer, out + r * outer, outer);
}

template <CpuLevel kLevel>
DPPL_INLINE void add_gram_body(const float* rows, size_t count, size_t n, size_t begin, size_t end, float* gram) {
  size_t i = begin;
  for (; i + kBand <= end; i += kBand) {
    product_band<kLevel, kBand>(rows + i, n, 1, rows, n, count, std::min(i + kBand, n), gram + (i - begin) * n, n);
  }
  for (; i < end; ++i) product_band<kLevel, 1>(rows + i, n, 1, rows, n, count, i + 1, gram + (i - begin) * n, n);
}

// Blocks of x_i·scale, truncated, handed to take(first, integers, count); and the sum of their squares. Lanes hold
// integers, exactly up to 2^53; beyond that the sum stays beyond it.
template <typename Take>
DPPL_INLINE double truncate_blocks(const float* x, size_t n, double scale, const Take& take) {
  int32_t block[kBlock];
  double lanes[kLanes] = {};
  for (size_t begin = 0; begin < n; begin += kBlock) {
    const size_t size = std::min(kBlock, n - begin);
    for (size_t i = 0; i < size; ++i) block[i] = static_cast<int32_t>(static_cast<double>(x[begin + i]) * scale);
    size_t i = 0;
    for (; i + kLanes <= size; i += kLanes) {
      for (size_t l = 0; l < kLanes; ++l) {
        const auto whole = static_cast<double>(block[i + l]);
        lanes[l] += whole * whole;
      }
    }
    for (size_t l = 0; i < size; ++i, ++l) lanes[l] += static_cast<double>(block[i]) * static_cast<double>(block[i]);
    take(begin, block, size);
  }
  double squares = 0;
  for (const double lane : lanes) squares += lane;
  return squares;
}

template <CpuLevel kLevel>
DPPL_INLINE double truncate_row_body(const float* x, size_t n, double scale, int32_t* out) {
  return truncate_blocks(x, n, scale, [out](size_t first, const int32_t* block, size_t size) DPPL_INLINE_LAMBDA {
    std::copy_n(block, size, out + first);
  });
}

template <CpuLevel kLevel>
DPPL_INLINE double add_truncated_row_body(const float* x, size_t n, double scale, int64_t* sum) {
  return truncate_blocks(x, n, scale, [sum](size_t first, const int32_t* block, size_t size) DPPL_INLINE_LAMBDA {
    for (size_t i = 0; i < size; ++i) sum[first + i] += block[i];
  });
}

template <CpuLevel kLevel>
DPPL_INLINE double largest_pair_body(const float* x, size_t n) {
  double lanes[kLanes] = {};
  size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    for (size_t l = 0; l < kLanes; ++l) {
      const double pair = static_cast<double>(std::abs(x[i + 2 * l])) + static_cast<double>(std::abs(x[i + 2 * l + 1]));
      lanes[l] = lanes[l] < pair ? pair : lanes[l];
    }
  }
  double largest = 0;
  for (; i < n; i += 2) {
    const float second = i + 1 < n ? x[i + 1] : 0;
    largest = std::max(largest, static_cast<double>(std::abs(x[i])) + static_cast<double>(std::abs(second)));
  }
  for (const double lane : lanes) largest = std::max(largest, lane);
  return largest;
}

template <CpuLevel kLevel>
DPPL_INLINE ByteTotals round_row_body(const float* x, size_t n, double scale, int8_t* out) {
  int32_t values[kBlock], sum = 0, squares = 0;
  for (size_t begin = 0; begin < n; begin += kBlock) {
    const size_t size = std::min(kBlock, n - begin);
    for (size_t i = 0; i < size; ++i) {
      const double scaled = static_cast<double>(x[begin + i]) * scale;
      values[i] = static_cast<int32_t>(scaled + std::copysign(0.5, scaled));
    }
    for (size_t i = 0; i < size; ++i) {
      out[begin + i] = static_cast<int8_t>(values[i]);
      sum += values[i];
      squares += values[i] * values[i];
    }
  }
  return {sum, squares};
}

template <CpuLevel kLevel>
DPPL_INLINE void add_multiple_body(const int8_t* x, size_t n, int32_t factor, int64_t* sum) {
  for (size_t i = 0; i < n; ++i) sum[i] += factor * x[i];
}

template <CpuLevel kLevel>
DPPL_INLINE double byte_dot_body(const int8_t* x, const double* y, size_t n) {
  double lanes[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) lanes[l] += static_cast<double>(x[i + l]) * y[i + l];
  }
  double sum = 0;
  for (; i < n; ++i) sum += static_cast<double>(x[i]) * y[i];
  for (const double lane : lanes) sum += lane;
  return sum;
}

}  // namespace

DPPL_KERNEL(double, sum_of_squares, (const float* x, size_t n), (x, n))
DPPL_KERNEL(void, scale_row, (const float* x, size_t n, double scale, float* out), (x, n, scale, out))
DPPL_KERNEL(void, project_rows,
            (const float* rows, size_t count, size_t inner, const float* basis, size_t outer, float* out),
            (rows, count, inner, basis, outer, out))
DPPL_KERNEL(void, add_gram, (const float* rows, size_t count, size_t n, size_t begin, size_t end, float* gram),
            (rows, count, n, begin, end, gram))
DPPL_KERNEL(double, truncate_row, (const float* x, size_t n, double scale, int32_t* out), (x, n, scale, out))
DPPL_KERNEL(double, add_truncated_row, (const float* x, size_t n, double scale, int64_t* sum), (x, n, scale, sum))
DPPL_KERNEL(double, largest_pair, (const float* x, size_t n), (x, n))
DPPL_KERNEL(ByteTotals, round_row, (const float* x, size_t n, double scale, int8_t* out), (x, n, scale, out))
DPPL_KERNEL(void, add_multiple, (const int8_t* x, size_t n, int32_t factor, int64_t* sum), (x, n, factor, sum))
DPPL_KERNEL(double, byte_dot, (const int8_t* x, const double* y, size_t n), (x, y, n))

double inverse_length(const float* x, size_t n) {
  const double squares = sum_of_squares(x, n);
  return squares > 0 ? 1 / std::sqrt(squares) : 0;
}

void normalise_row(const float* x, size_t n, float* out) { scale_row(x, n, inverse_length(x, n), out); }

}  // namespace dppl
