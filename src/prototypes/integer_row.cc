#include "prototypes/integer_row.h"

#include <algorithm>
#include <cmath>

#include "similarity/row_math.h"

namespace dppl {

// Proof of the bound. With S the computed sum of squares of n < 2^20 values, Σx² ≤ S·(1 + n·2^-52): every addition and
// product is rounded by a factor of at most 1 + 2^-53. The root, the quotient and the product with 1 − 2^-29 add three
// roundings to the factor, and each x_i·scale one more before it is truncated, which only shortens. So Σq² ≤
// kRadius²·(1 − 2^-29)²·(1 + 2^-32)·(1 + 2^-53)^8 < kRadius².
double integer_scale(std::span<const float> row, double clip) {
  const double length = std::max(std::sqrt(sum_of_squares(row.data(), row.size())), clip);
  return length > 0 ? static_cast<double>(kRadius) / length * (1 - 0x1p-29) : 0;
}

void integer_row(std::span<const float> row, double clip, std::span<int32_t> out) {
  truncate_row(row.data(), row.size(), integer_scale(row, clip), out.data());
}

void add_integer_row(std::span<const float> row, double clip, std::span<int64_t> sum) {
  add_truncated_row(row.data(), row.size(), integer_scale(row, clip), sum.data());
}

}  // namespace dppl
