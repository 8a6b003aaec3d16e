#include "rows/integer_row.h"

#include <algorithm>
#include <cmath>

#include "base/strict_math.h"
#include "kernels/row_math.h"

namespace dppl {
namespace {

// With S the computed sum of squares of n < 2^20 values, Σx² ≤ S·(1 + n·2^-52): every addition and product is rounded
// by a factor of at most 1 + 2^-53. The root, the quotient and the product with 1 − 2^-29 add three roundings to the
// factor, and each x_i·scale one more before it is truncated, which only shortens. So Σq² ≤
// kRadius²·(1 − 2^-29)²·(1 + 2^-32)·(1 + 2^-53)^8 < kRadius². In particular, where S is finite, every x_i·scale is at
// most kRadius and fits an integer. (`clip` only lowers the scale.)
double integer_scale(double squares, double clip) {
  const double length = std::max(std::sqrt(squares), clip);
  return length > 0 ? static_cast<double>(kRadius) / length * (1 - 0x1p-29) : 0;
}

// The decision, for rows and for sums alike.
bool fits(double squares, int64_t radius) { return squares <= static_cast<double>(radius * radius); }

}  // namespace

void bound_norm(std::span<int32_t> row, int64_t radius) {
  double squares = 0;  // exact up to 2^53, as truncate_row() has it
  for (const int32_t value : row) squares += static_cast<double>(value) * static_cast<double>(value);
  if (!fits(squares, radius)) std::fill(row.begin(), row.end(), 0);
}

void integer_row(std::span<const float> row, double clip, std::span<int32_t> out) {
  const double squares = sum_of_squares(row.data(), row.size());  // no overflow: a float's square is below 2^256
  const bool short_enough =
      std::isfinite(squares) &&
      fits(truncate_row(row.data(), row.size(), integer_scale(squares, clip), out.data()), kRadius);
  if (!short_enough) std::fill(out.begin(), out.end(), 0);
}

void add_integer_row(std::span<const float> row, double clip, std::span<int64_t> sum) {
  const double squares = sum_of_squares(row.data(), row.size());
  if (!std::isfinite(squares)) return;
  const double scale = integer_scale(squares, clip);
  const bool short_enough = fits(add_truncated_row(row.data(), row.size(), scale, sum.data()), kRadius);
  if (!short_enough) add_truncated_row(row.data(), row.size(), -scale, sum.data());
}

}  // namespace dppl
