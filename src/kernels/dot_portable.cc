#include <algorithm>

#include "kernels/cpu.h"
#include "kernels/dot_kernels.h"

namespace dppl {
namespace {

template <size_t kStep, typename Left, typename Right>
void dots_of(const Left* panel, size_t steps, const Right* const* rows, size_t count, int32_t* dots) {
  std::fill_n(dots, count * kPanel, 0);
  for (size_t step = 0; step < steps; ++step) {
    for (size_t c = 0; c < count; ++c) {
      for (size_t r = 0; r < kPanel; ++r) {
        for (size_t k = 0; k < kStep; ++k) {
          dots[c * kPanel + r] += panel[(step * kPanel + r) * kStep + k] * rows[c][step * kStep + k];
        }
      }
    }
  }
}

double score_sum(const ScoreTile& tile, const int32_t* dots, int32_t offset, double row_factor) {
  double sum = 0;
  for (size_t r = 0; r < kPanel; ++r) {
    const double cosine = static_cast<double>(dots[r] - offset) * tile.record_factors[r] * row_factor;
    sum += std::min(std::max(cosine - tile.low, 0.0), tile.top);
  }
  return sum;
}

void byte_pairs(const uint8_t* panels, size_t steps, const int8_t* const* rows, size_t count, int32_t* dots) {
  pairs_by_panel(kPortableDots, panels, steps, rows, count, dots);
}

uint32_t at_least(const int32_t* dots, int32_t offset, float factor, const float* thresholds) {
  uint32_t bits = 0;
  for (size_t r = 0; r < kPanel; ++r) {
    bits |= static_cast<uint32_t>(static_cast<float>(dots[r] - offset) * factor >= thresholds[r]) << r;
  }
  return bits;
}

}  // namespace

const DotKernels kPortableDots = {
    4, dots_of<kByteStep, uint8_t, int8_t>, 4, byte_pairs, dots_of<kWordStep, int16_t, int16_t>, score_sum, at_least};
#if !defined(__x86_64__)
const DotKernels kAvx2Dots = kPortableDots, kAvx512Dots = kPortableDots;
#endif

void pairs_by_panel(const DotKernels& kernels, const uint8_t* panels, size_t steps, const int8_t* const* rows,
                    size_t count, int32_t* dots) {
  int32_t own[kLargestWidth * kPanel];
  for (size_t panel = 0; panel < 2; ++panel) {
    kernels.bytes(panels + panel * steps * kPanel * kByteStep, steps, rows, count, own);
    for (size_t c = 0; c < count; ++c) std::copy_n(own + c * kPanel, kPanel, dots + (2 * c + panel) * kPanel);
  }
}

const DotKernels& dot_kernels() {
  const CpuLevel level = cpu_level();
  return level == CpuLevel::portable ? kPortableDots : level == CpuLevel::avx2 ? kAvx2Dots : kAvx512Dots;
}

}  // namespace dppl
