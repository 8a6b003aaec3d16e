#include "rows/small_rows.h"

#include "rows/integer_row.h"

namespace dppl {
namespace {

// A division that truncates toward zero takes the norm from at most kRadius to at most kSmallRadius.
constexpr auto kDivisor = static_cast<int32_t>(kRadius / kSmallRadius);

}  // namespace

void small_row(std::span<const float> row, double clip, std::span<int32_t> out) {
  integer_row(row, clip, out);
  for (int32_t& value : out) value /= kDivisor;
  bound_norm(out, kSmallRadius);
}

void SmallRows::set(size_t i, std::span<const int32_t> integer_row) {
  // Measured again in its own unit: what does not fit becomes zeros.
  thread_local std::vector<int32_t> small;
  small.assign(integer_row.begin(), integer_row.end());
  for (int32_t& value : small) value /= kDivisor;
  bound_norm(small, kSmallRadius);
  for (size_t k = 0; k < dim_; ++k) values_[i * dim_ + k] = static_cast<int16_t>(small[k]);
}

}  // namespace dppl
