#pragma once

#include <cstdint>
#include <span>

namespace dppl {

// The integer radius: a row of the largest allowed length becomes an integer vector of 2-norm at most this. Fine enough
// that truncation moves a row of 1,280 dimensions by less than 0.06% of its length.
inline constexpr int64_t kRadius = 1 << 16;

// The quantiser (integer_row.proof.md): every row that enters a sum over records becomes integers here, by one factor
// and truncation toward zero. A row of length `clip` or more gets length kRadius; a shorter one keeps its proportion.
// clip = 0: every row gets length kRadius. A row of zeros stays zeros. A function of the row and `clip` alone. The
// squared 2-norm of the result is at most kRadius², to the bit, for any row whatever: the result is measured, and what
// is longer, or was not finite, becomes zeros. Precondition: fewer than 2^20 values.
void integer_row(std::span<const float> row, double clip, std::span<int32_t> out);
void add_integer_row(std::span<const float> row, double clip, std::span<int64_t> sum);

// The measuring: a row of 2-norm above `radius` becomes zeros.
void bound_norm(std::span<int32_t> row, int64_t radius);

}  // namespace dppl
