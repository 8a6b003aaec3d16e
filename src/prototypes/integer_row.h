#pragma once

#include <cstdint>
#include <span>

namespace dppl {

// The integer radius: a row of the largest allowed length becomes an integer vector of 2-norm at most this. Fine enough
// that truncation moves a row of 1,280 dimensions by less than 0.06% of its length.
inline constexpr int64_t kRadius = 1 << 16;

// Rows become integers by one factor and truncation toward zero. This is the factor: with it the integer vector's
// squared 2-norm is at most kRadius², to the bit. A row of length `clip` or more gets length kRadius; a shorter one
// keeps its proportion. clip = 0: every row gets length kRadius. A row of zeros stays zeros. A function of the row and
// `clip` alone. Precondition: finite values, fewer than 2^20.
double integer_scale(std::span<const float> row, double clip);

void integer_row(std::span<const float> row, double clip, std::span<int32_t> out);
void add_integer_row(std::span<const float> row, double clip, std::span<int64_t> sum);

}  // namespace dppl
