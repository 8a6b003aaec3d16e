#pragma once

#include <cstddef>
#include <cstdint>

// The inner loops of integer dot products: 16 "left" vectors, packed side by side, against a few rows. One table of
// functions for each CpuLevel; all give the same integers.
namespace dppl {

inline constexpr size_t kPanel = 16;         // left vectors in a panel
inline constexpr size_t kByteStep = 4;       // dimensions that stand together in a panel of bytes
inline constexpr size_t kWordStep = 2;       // and of 16-bit words: either way a step is 64 bytes
inline constexpr size_t kLargestWidth = 12;  // rows at once, of any kernel

// Cosines of a panel's records with one row become scores: cosine = dot·record factor·row factor on the integer grid,
// score = cosine − low, clipped to 0 … top. All of it in doubles that hold integers below 2^53 exactly.
struct ScoreTile {
  const double* record_factors;  // kPanel
  double low, top;
};

struct DotKernels {
  size_t width;  // rows at once: 1 … width
  // dots[c·kPanel + r] = Σ_k panel[k/4][r][k%4]·rows[c][k], k below 4·steps. Up to 3 bytes behind a row are read; the
  // panel holds zeros there. Precondition: the sums of two neighbouring products fit 16 bits.
  void (*bytes)(const uint8_t* panel, size_t steps, const int8_t* const* rows, size_t count, int32_t* dots);
  // The same for two panels at once, one behind the other: dots[(2·c + panel)·kPanel + r], 1 … pair_width rows. Where
  // loading a row's bytes takes as long as multiplying them, this halves the loading.
  size_t pair_width;
  void (*byte_pairs)(const uint8_t* panels, size_t steps, const int8_t* const* rows, size_t count, int32_t* dots);
  // As bytes() for 16-bit words, panel[k/2][r][k%2]. Precondition: every partial sum fits 32 bits.
  void (*words)(const int16_t* panel, size_t steps, const int16_t* const* rows, size_t count, int32_t* dots);
  // Σ_r of the scores of dots[r] − offset with a row of the given factor.
  double (*score_sum)(const ScoreTile& tile, const int32_t* dots, int32_t offset, double row_factor);
  // Bit r: whether (dots[r] − offset)·factor, in floats, is at least thresholds[r]. kPanel of each.
  uint32_t (*at_least)(const int32_t* dots, int32_t offset, float factor, const float* thresholds);

  // bytes() for one panel, byte_pairs() for two, and how many rows it takes at once.
  struct BytesOfPanels {
    decltype(bytes) multiply;
    size_t width;
  };
  BytesOfPanels bytes_of(size_t panels) const {
    return panels == 2 ? BytesOfPanels{byte_pairs, pair_width} : BytesOfPanels{bytes, width};
  }
};

extern const DotKernels kPortableDots, kAvx2Dots, kAvx512Dots;
// byte_pairs() by bytes(), where there are too few registers for more.
void pairs_by_panel(const DotKernels& kernels, const uint8_t* panels, size_t steps, const int8_t* const* rows,
                    size_t count, int32_t* dots);
const DotKernels& dot_kernels();  // of cpu_level()

}  // namespace dppl
