#include "selection/class_columns.h"

#include <algorithm>
#include <cmath>

#include "kernels/dot_kernels.h"
#include "selection/constants.h"

namespace dppl {

// The proof of `error`: f·⟨S, p⟩ = f·(⟨words, p⟩ + ⟨e, p⟩)/scale, and |f·⟨e, p⟩| <= ‖e‖·f·‖p‖ <= ‖e‖·2^kFactorBits. Of
// ‖e‖ the computed value is off by roundings of 2^-52 of numbers below 2^16 in each coordinate: by less than
// 2^-30·√dim. No overflow: every partial sum of ⟨words, p⟩ is at most ‖words‖·‖p‖ <= (‖S‖·scale + √dim/2)·longest <
// 2^31.
WordColumn WordColumn::of(std::span<const double> sum, double longest) {
  WordColumn column;
  column.words.resize(sum.size());
  double largest = 0, squares = 0;
  for (const double value : sum) {
    largest = std::max(largest, std::abs(value));
    squares += value * value;
  }
  if (largest == 0) return column;
  const double root = std::sqrt(static_cast<double>(sum.size()));
  const double room = (0x1p31 / std::max(longest, 1.0) - root) / std::sqrt(squares);
  column.scale = std::min(32766 / largest, room) * (1 - 0x1p-20);
  double residual = 0;
  for (size_t k = 0; k < sum.size(); ++k) {
    const double scaled = sum[k] * column.scale;
    const double word = std::nearbyint(scaled);
    column.words[k] = static_cast<int16_t>(word);
    residual += (scaled - word) * (scaled - word);
  }
  const double one = std::ldexp(1, kFactorBits);
  column.error = (std::sqrt(residual) * (1 + 0x1p-20) + 0x1p-30 * root) * one / column.scale;
  return column;
}

double longest_row(const ShardedRows& rows) {
  uint32_t smallest = 0;
  for (size_t s = 0; s < rows.shards(); ++s) {
    for (const uint32_t factor : rows.shard(s).factors()) {
      if (factor > 0 && (smallest == 0 || factor < smallest)) smallest = factor;
    }
  }
  return smallest == 0 ? 1 : std::ldexp(1, kFactorBits) / smallest * (1 + 0x1p-40);
}

ColumnPanels::ColumnPanels(std::span<const WordColumn> columns)
    : columns_(columns.size()), steps_(columns.empty() ? 0 : (columns[0].words.size() + kWordStep - 1) / kWordStep) {
  words_.assign((columns_ + kPanel - 1) / kPanel * steps_ * kPanel * kWordStep, 0);
  for (size_t j = 0; j < columns_; ++j) {
    int16_t* out = words_.data() + j / kPanel * steps_ * kPanel * kWordStep + j % kPanel * kWordStep;
    for (size_t k = 0; k < columns[j].words.size(); ++k) {
      out[k / kWordStep * kPanel * kWordStep + k % kWordStep] = columns[j].words[k];
    }
  }
}

void ColumnPanels::multiply(const QuantisedRows& rows, size_t begin, size_t end, std::span<int32_t* const> dots) const {
  const DotKernels& kernels = dot_kernels();
  const size_t length = steps_ * kWordStep;
  std::vector<int16_t> wide(kColumnRows * length);
  std::vector<int32_t> sums(kColumnRows * kPanel);
  int32_t tile[kLargestWidth * kPanel];
  for (size_t block = begin; block < end; block += kColumnRows) {
    const size_t height = std::min(kColumnRows, end - block);
    for (size_t i = 0; i < height; ++i) {
      std::copy_n(rows.row(block + i), rows.dim(), wide.begin() + static_cast<std::ptrdiff_t>(i * length));
    }
    for (size_t first = 0; first < columns_; first += kPanel) {
      std::fill(sums.begin(), sums.end(), 0);
      for (size_t step = 0; step < steps_; step += kColumnSteps) {
        const size_t steps = std::min(kColumnSteps, steps_ - step);
        const int16_t* panel = words_.data() + first * length + step * kPanel * kWordStep;
        for (size_t i = 0; i < height; i += kernels.width) {
          const size_t width = std::min(kernels.width, height - i);
          const int16_t* pointers[kLargestWidth];
          for (size_t c = 0; c < width; ++c) pointers[c] = wide.data() + (i + c) * length + step * kWordStep;
          kernels.words(panel, steps, pointers, width, tile);
          for (size_t k = 0; k < width * kPanel; ++k) sums[i * kPanel + k] += tile[k];
        }
      }
      for (size_t j = first; j < std::min(first + kPanel, columns_); ++j) {
        int32_t* out = dots[j] + (block - begin);
        for (size_t i = 0; i < height; ++i) out[i] = sums[i * kPanel + j - first];
      }
    }
  }
}

}  // namespace dppl
