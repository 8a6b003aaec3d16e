#include "similarity/row_math.h"

#include <algorithm>

#include "similarity/cpu.h"

// Each kernel is one generic body that the compiler vectorises, instantiated once for the baseline and once for AVX2.
#define DPPL_INLINE [[gnu::always_inline]] inline
#if defined(__x86_64__)
#define DPPL_AVX2 [[gnu::target("avx2")]]
#else
#define DPPL_AVX2
#endif
#define DPPL_KERNEL(name, parameters, arguments)         \
  DPPL_AVX2 static void name##_avx2 parameters { name##_body arguments; } \
  static void name##_portable parameters { name##_body arguments; }
#define DPPL_DISPATCH(name, arguments) \
  (cpu_level() == CpuLevel::avx2 ? name##_avx2 arguments : name##_portable arguments)

namespace dppl {
namespace {

// Eight partial sums, folded in one fixed order.
constexpr size_t kLanes = 8;

DPPL_INLINE void squares_body(const float* x, size_t n, double* result) {
  double lanes[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) {
      const auto value = static_cast<double>(x[i + l]);
      lanes[l] += value * value;
    }
  }
  for (size_t l = 0; i < n; ++i, ++l) lanes[l] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  *result = ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

DPPL_INLINE void scale_body(const float* x, size_t n, double scale, float* out) {
  for (size_t i = 0; i < n; ++i) out[i] = static_cast<float>(static_cast<double>(x[i]) * scale);
}

// A tile of kRows × kColumns results stays in registers while j runs.
template <size_t kRows, size_t kColumns>
DPPL_INLINE void project_tile(const float* rows, size_t inner, const float* basis, size_t outer, float* out) {
  float sums[kRows][kColumns] = {};
  for (size_t j = 0; j < inner; ++j) {
    for (size_t r = 0; r < kRows; ++r) {
      const float value = rows[r * inner + j];
      for (size_t k = 0; k < kColumns; ++k) sums[r][k] += value * basis[j * outer + k];
    }
  }
  for (size_t r = 0; r < kRows; ++r) {
    for (size_t k = 0; k < kColumns; ++k) out[r * outer + k] = sums[r][k];
  }
}

template <size_t kRows>
DPPL_INLINE void project_band(const float* rows, size_t inner, const float* basis, size_t outer, float* out) {
  constexpr size_t kWide = 16;
  size_t k = 0;
  for (; k + kWide <= outer; k += kWide) project_tile<kRows, kWide>(rows, inner, basis + k, outer, out + k);
  for (; k < outer; ++k) project_tile<kRows, 1>(rows, inner, basis + k, outer, out + k);
}

DPPL_INLINE void project_body(const float* rows, size_t count, size_t inner, const float* basis, size_t outer, float* out) {
  constexpr size_t kBand = 4;
  size_t r = 0;
  for (; r + kBand <= count; r += kBand) project_band<kBand>(rows + r * inner, inner, basis, outer, out + r * outer);
  for (; r < count; ++r) project_band<1>(rows + r * inner, inner, basis, outer, out + r * outer);
}

template <size_t kRows, size_t kColumns>
DPPL_INLINE void gram_tile(const float* rows, size_t count, size_t n, size_t i, size_t j, float* out) {
  float sums[kRows][kColumns];
  for (size_t a = 0; a < kRows; ++a) {
    for (size_t b = 0; b < kColumns; ++b) sums[a][b] = out[a * n + j + b];
  }
  for (size_t r = 0; r < count; ++r) {
    const float* row = rows + r * n;
    for (size_t a = 0; a < kRows; ++a) {
      const float value = row[i + a];
      for (size_t b = 0; b < kColumns; ++b) sums[a][b] += value * row[j + b];
    }
  }
  for (size_t a = 0; a < kRows; ++a) {
    for (size_t b = 0; b < kColumns; ++b) out[a * n + j + b] = sums[a][b];
  }
}

template <size_t kRows>
DPPL_INLINE void gram_band(const float* rows, size_t count, size_t n, size_t i, float* out) {
  constexpr size_t kWide = 16;
  size_t j = 0;
  for (; j < i + kRows && j + kWide <= n; j += kWide) gram_tile<kRows, kWide>(rows, count, n, i, j, out);
  for (; j < i + kRows; ++j) gram_tile<kRows, 1>(rows, count, n, i, j, out);
}

DPPL_INLINE void gram_body(const float* rows, size_t count, size_t n, size_t begin, size_t end, float* gram) {
  constexpr size_t kBand = 4;
  size_t i = begin;
  for (; i + kBand <= end; i += kBand) gram_band<kBand>(rows, count, n, i, gram + (i - begin) * n);
  for (; i < end; ++i) gram_band<1>(rows, count, n, i, gram + (i - begin) * n);
}

DPPL_INLINE void truncate_body(const float* x, size_t n, double scale, int32_t* out) {
  for (size_t i = 0; i < n; ++i) out[i] = static_cast<int32_t>(static_cast<double>(x[i]) * scale);
}

DPPL_INLINE void add_body(const int32_t* x, size_t n, int64_t* sum) {
  for (size_t i = 0; i < n; ++i) sum[i] += x[i];
}

DPPL_INLINE void integer_squares_body(const int32_t* x, size_t n, int64_t* result) {
  int64_t sum = 0;
  for (size_t i = 0; i < n; ++i) sum += static_cast<int64_t>(x[i]) * x[i];
  *result = sum;
}

DPPL_KERNEL(squares, (const float* x, size_t n, double* result), (x, n, result))
DPPL_KERNEL(scale, (const float* x, size_t n, double s, float* out), (x, n, s, out))
DPPL_KERNEL(project, (const float* rows, size_t count, size_t inner, const float* basis, size_t outer, float* out),
            (rows, count, inner, basis, outer, out))
DPPL_KERNEL(gram, (const float* rows, size_t count, size_t n, size_t begin, size_t end, float* out), (rows, count, n, begin, end, out))
DPPL_KERNEL(truncate, (const float* x, size_t n, double s, int32_t* out), (x, n, s, out))
DPPL_KERNEL(add, (const int32_t* x, size_t n, int64_t* sum), (x, n, sum))
DPPL_KERNEL(integer_squares, (const int32_t* x, size_t n, int64_t* result), (x, n, result))

}  // namespace

double sum_of_squares(const float* x, size_t n) {
  double result;
  DPPL_DISPATCH(squares, (x, n, &result));
  return result;
}

void scale_row(const float* x, size_t n, double scale, float* out) { DPPL_DISPATCH(scale, (x, n, scale, out)); }

void project_rows(const float* rows, size_t count, size_t inner, const float* basis, size_t outer, float* out) {
  DPPL_DISPATCH(project, (rows, count, inner, basis, outer, out));
}

void add_gram(const float* rows, size_t count, size_t n, size_t begin, size_t end, float* gram) {
  DPPL_DISPATCH(gram, (rows, count, n, begin, end, gram));
}

void truncate_row(const float* x, size_t n, double scale, int32_t* out) { DPPL_DISPATCH(truncate, (x, n, scale, out)); }

void add_row(const int32_t* x, size_t n, int64_t* sum) { DPPL_DISPATCH(add, (x, n, sum)); }

int64_t sum_of_squares(const int32_t* x, size_t n) {
  int64_t result;
  DPPL_DISPATCH(integer_squares, (x, n, &result));
  return result;
}

}  // namespace dppl
