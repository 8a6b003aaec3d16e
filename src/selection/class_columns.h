#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rows/sharded_rows.h"

namespace dppl {

// A vector S (a class's Σ factor·row, each times its record's share) as 16-bit words: S·scale = words + e with |e_k|
// about 1/2. For a quantised row p of factor f, f·⟨S, p⟩ lies within `error` of f·⟨words, p⟩/scale.
struct WordColumn {
  std::vector<int16_t> words;
  double scale = 1;
  double error = 0;

  // `longest`: at least the 2-norm of every row it will meet, so that no dot product leaves 32 bits.
  static WordColumn of(std::span<const double> sum, double longest);
};

// The 2-norm of the longest row, or a little more.
double longest_row(const ShardedRows& rows);

// Columns packed for the kernels (dot_kernels.h).
class ColumnPanels {
 public:
  explicit ColumnPanels(std::span<const WordColumn> columns);

  // dots[j][i] = ⟨column j, row begin + i⟩, for begin + i < end.
  void multiply(const QuantisedRows& rows, size_t begin, size_t end, std::span<int32_t* const> dots) const;

 private:
  size_t columns_, steps_;
  std::vector<int16_t> words_;
};

}  // namespace dppl
