#if defined(__x86_64__)
#include <immintrin.h>

#include "kernels/dot_kernels.h"
#include "kernels/dot_x86.h"

namespace dppl {
namespace {

// A step of a panel is one register of 16 left vectors; VNNI multiplies, adds four (or two) and accumulates at once.
constexpr size_t kWidth = kLargestWidth;
constexpr size_t kPairWidth = 8;  // measured: 12 rows, which the registers would hold, are no faster

struct Avx512 {
  template <bool kBytes, size_t kCount, typename Left, typename Right>
  [[gnu::target("avx512f,avx512bw,avx512vnni")]] static void tile(const Left* panel, size_t steps,
                                                                  const Right* const* rows, int32_t* dots) {
    constexpr size_t kStep = kBytes ? kByteStep : kWordStep;
    __m512i sums[kCount];
#pragma GCC unroll 12
    for (size_t c = 0; c < kCount; ++c) sums[c] = _mm512_setzero_si512();
    for (size_t step = 0; step < steps; ++step) {
      const __m512i left = _mm512_loadu_si512(panel + step * kPanel * kStep);
#pragma GCC unroll 12
      for (size_t c = 0; c < kCount; ++c) {
        const __m512i row = _mm512_set1_epi32(four_bytes(rows[c] + step * kStep));
        if constexpr (kBytes) {
          sums[c] = _mm512_dpbusd_epi32(sums[c], left, row);
        } else {
          sums[c] = _mm512_dpwssd_epi32(sums[c], left, row);
        }
      }
    }
#pragma GCC unroll 12
    for (size_t c = 0; c < kCount; ++c) _mm512_storeu_si512(dots + c * kPanel, sums[c]);
  }

  template <size_t kCount>
  [[gnu::target("avx512f,avx512bw,avx512vnni")]] static void pair_tile(const uint8_t* panels, size_t steps,
                                                                       const int8_t* const* rows, int32_t* dots) {
    const uint8_t* second = panels + steps * kPanel * kByteStep;
    __m512i sums[kCount][2];
#pragma GCC unroll 8
    for (size_t c = 0; c < kCount; ++c) sums[c][0] = sums[c][1] = _mm512_setzero_si512();
    for (size_t step = 0; step < steps; ++step) {
      const __m512i left[2] = {_mm512_loadu_si512(panels + step * kPanel * kByteStep),
                               _mm512_loadu_si512(second + step * kPanel * kByteStep)};
#pragma GCC unroll 8
      for (size_t c = 0; c < kCount; ++c) {
        const __m512i row = _mm512_set1_epi32(four_bytes(rows[c] + step * kByteStep));
        sums[c][0] = _mm512_dpbusd_epi32(sums[c][0], left[0], row);
        sums[c][1] = _mm512_dpbusd_epi32(sums[c][1], left[1], row);
      }
    }
#pragma GCC unroll 8
    for (size_t c = 0; c < kCount; ++c) {
      _mm512_storeu_si512(dots + 2 * c * kPanel, sums[c][0]);
      _mm512_storeu_si512(dots + (2 * c + 1) * kPanel, sums[c][1]);
    }
  }
};

double score_sum(const ScoreTile& tile, const int32_t* dots, int32_t offset, double row_factor) {
  return kAvx2Dots.score_sum(tile, dots, offset, row_factor);
}

[[gnu::target("avx512f")]] uint32_t at_least(const int32_t* dots, int32_t offset, float factor,
                                             const float* thresholds) {
  const __m512i dot = _mm512_sub_epi32(_mm512_loadu_si512(dots), _mm512_set1_epi32(offset));
  // With a mask because gcc 12 warns of its own header without one.
  const __m512 value = _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(0xffff, dot), _mm512_set1_ps(factor));
  return _mm512_cmp_ps_mask(value, _mm512_loadu_ps(thresholds), _CMP_GE_OQ);
}

}  // namespace

const DotKernels kAvx512Dots = {kWidth,
                                run_tile<Avx512, true, kWidth, uint8_t, int8_t>,
                                kPairWidth,
                                run_pair_tile<Avx512, kPairWidth>,
                                run_tile<Avx512, false, kWidth, int16_t, int16_t>,
                                score_sum,
                                at_least};

}  // namespace dppl
#endif
