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
  // The same for 16-bit words, panel[k/2][r][k%2]. Precondition: every partial sum fits 32 bits.
  void (*words)(const int16_t* panel, size_t steps, const int16_t* const* rows, size_t count, int32_t* dots);
  // Σ_r of the scores of dots[r] − offset with a row of the given factor.
  double (*score_sum)(const ScoreTile& tile, const int32_t* dots, int32_t offset, double row_factor);
};

extern const DotKernels kPortableDots, kAvx2Dots, kAvx512Dots;
const DotKernels& dot_kernels();  // of cpu_level()

}  // namespace dppl
