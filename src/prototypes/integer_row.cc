#include "prototypes/integer_row.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numbers/strict_math.h"
#include "similarity/row_math.h"

namespace dppl {
namespace {

// With S the computed sum of squares of n < 2^20 values, Σx² ≤ S·(1 + n·2^-52): every addition and product is rounded
// by a factor of at most 1 + 2^-53. The root, the quotient and the product with 1 − 2^-29 add three roundings to the
// factor, and each x_i·scale one more before it is truncated, which only shortens. So Σq² ≤
// kRadius²·(1 − 2^-29)²·(1 + 2^-32)·(1 + 2^-53)^8 < kRadius².
double integer_scale(double squares, double clip) {
  const double length = std::max(std::sqrt(squares), clip);
  return length > 0 ? static_cast<double>(kRadius) / length * (1 - 0x1p-29) : 0;
}

}  // namespace

void bound_norm(std::span<int32_t> row, int64_t radius) {
  if (squared_norm(row.data(), row.size()) > static_cast<uint64_t>(radius * radius)) {
    std::fill(row.begin(), row.end(), 0);
  }
}

void integer_row(std::span<const float> row, double clip, std::span<int32_t> out) {
  const double squares = sum_of_squares(row.data(), row.size());  // no overflow: a float's square is below 2^256
  if (!std::isfinite(squares)) {
    std::fill(out.begin(), out.end(), 0);
    return;
  }
  truncate_row(row.data(), row.size(), integer_scale(squares, clip), out.data());
  bound_norm(out, kRadius);
}

void add_integer_row(std::span<const float> row, double clip, std::span<int64_t> sum) {
  thread_local std::vector<int32_t> integers;
  integers.resize(row.size());
  integer_row(row, clip, integers);
  add_row(integers.data(), integers.size(), sum.data());
}

}  // namespace dppl
