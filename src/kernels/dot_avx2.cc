#if defined(__x86_64__)
#include <immintrin.h>

#include "kernels/dot_kernels.h"
#include "kernels/dot_x86.h"

namespace dppl {
namespace {

// A step of a panel is two registers of eight left vectors; with four rows that makes eight sums, and nothing spills.
constexpr size_t kWidth = 4;

[[gnu::target("avx2")]] inline __m256i load(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}

[[gnu::target("avx2")]] inline __m256i multiply_bytes(__m256i left, __m256i right) {
  return _mm256_madd_epi16(_mm256_maddubs_epi16(left, right), _mm256_set1_epi16(1));
}

struct Avx2 {
  template <bool kBytes, size_t kCount, typename Left, typename Right>
  [[gnu::target("avx2")]] static void tile(const Left* panel, size_t steps, const Right* const* rows, int32_t* dots) {
    constexpr size_t kStep = kBytes ? kByteStep : kWordStep;
    __m256i sums[kCount][2];
#pragma GCC unroll 12
    for (size_t c = 0; c < kCount; ++c) sums[c][0] = sums[c][1] = _mm256_setzero_si256();
    for (size_t step = 0; step < steps; ++step) {
      const __m256i first = load(panel + step * kPanel * kStep), second = load(panel + (step * kPanel + 8) * kStep);
#pragma GCC unroll 12
      for (size_t c = 0; c < kCount; ++c) {
        const __m256i row = _mm256_set1_epi32(four_bytes(rows[c] + step * kStep));
        if constexpr (kBytes) {
          sums[c][0] = _mm256_add_epi32(sums[c][0], multiply_bytes(first, row));
          sums[c][1] = _mm256_add_epi32(sums[c][1], multiply_bytes(second, row));
        } else {
          sums[c][0] = _mm256_add_epi32(sums[c][0], _mm256_madd_epi16(first, row));
          sums[c][1] = _mm256_add_epi32(sums[c][1], _mm256_madd_epi16(second, row));
        }
      }
    }
#pragma GCC unroll 12
    for (size_t c = 0; c < kCount; ++c) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(dots + c * kPanel), sums[c][0]);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(dots + c * kPanel + 8), sums[c][1]);
    }
  }
};

[[gnu::target("avx2")]] double score_sum(const ScoreTile& tile, const int32_t* dots, int32_t offset,
                                         double row_factor) {
  const __m256d factor = _mm256_set1_pd(row_factor), low = _mm256_set1_pd(tile.low), top = _mm256_set1_pd(tile.top);
  const __m128i offsets = _mm_set1_epi32(offset);
  __m256d sums = _mm256_setzero_pd();
  for (size_t r = 0; r < kPanel; r += 4) {
    const __m128i dot = _mm_sub_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(dots + r)), offsets);
    const __m256d cosine =
        _mm256_mul_pd(_mm256_mul_pd(_mm256_cvtepi32_pd(dot), _mm256_loadu_pd(tile.record_factors + r)), factor);
    const __m256d score = _mm256_min_pd(_mm256_max_pd(_mm256_sub_pd(cosine, low), _mm256_setzero_pd()), top);
    sums = _mm256_add_pd(sums, score);
  }
  const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(sums), _mm256_extractf128_pd(sums, 1));
  return _mm_cvtsd_f64(half) + _mm_cvtsd_f64(_mm_unpackhi_pd(half, half));
}

[[gnu::target("avx2")]] uint32_t at_least(const int32_t* dots, int32_t offset, float factor, const float* thresholds) {
  const __m256i offsets = _mm256_set1_epi32(offset);
  const __m256 factors = _mm256_set1_ps(factor);
  uint32_t bits = 0;
  for (size_t r = 0; r < kPanel; r += 8) {
    const __m256 value = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(load(dots + r), offsets)), factors);
    const __m256 above = _mm256_cmp_ps(value, _mm256_loadu_ps(thresholds + r), _CMP_GE_OQ);
    bits |= static_cast<uint32_t>(_mm256_movemask_ps(above)) << r;
  }
  return bits;
}

void byte_pairs(const uint8_t* panels, size_t steps, const int8_t* const* rows, size_t count, int32_t* dots) {
  pairs_by_panel(kAvx2Dots, panels, steps, rows, count, dots);
}

}  // namespace

const DotKernels kAvx2Dots = {kWidth,     run_tile<Avx2, true, kWidth, uint8_t, int8_t>,   kWidth,
                              byte_pairs, run_tile<Avx2, false, kWidth, int16_t, int16_t>, score_sum,
                              at_least};

}  // namespace dppl
#endif
