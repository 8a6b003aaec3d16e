#pragma once

#include <cstdint>
#include <span>

namespace dppl {

// The integer radius: a row of the largest allowed length becomes an integer vector of 2-norm at most this. Fine enough
// that truncation moves a row of 1,280 dimensions by less than 0.06% of its length.
inline constexpr int64_t kRadius = 1 << 16;

// Scales a row, truncates it toward zero and adds nothing else: an integer vector whose squared 2-norm is at most
// kRadius², to the bit. A row of length `clip` or more is cut to length kRadius; a shorter one keeps its proportion.
// clip = 0: every row gets length kRadius. The result depends on the row and `clip` alone. A row of zeros stays zeros.
// Precondition: finite values.
void integer_row(std::span<const float> row, double clip, std::span<int32_t> out);

}  // namespace dppl
