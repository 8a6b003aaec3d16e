#if defined(__x86_64__)
#include <immintrin.h>

#include "kernels/dot_kernels.h"
#include "kernels/dot_x86.h"

namespace dppl {
namespace {

// A step of a panel is one register of 16 left vectors; VNNI multiplies, adds four (or two) and accumulates at once.
constexpr size_t kWidth = kLargestWidth;

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
};

double score_sum(const ScoreTile& tile, const int32_t* dots, int32_t offset, double row_factor) {
  return kAvx2Dots.score_sum(tile, dots, offset, row_factor);
}

}  // namespace

const DotKernels kAvx512Dots = {kWidth, run_tile<Avx512, true, kWidth, uint8_t, int8_t>,
                                run_tile<Avx512, false, kWidth, int16_t, int16_t>, score_sum};

}  // namespace dppl
#endif
