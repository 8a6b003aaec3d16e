#include "prototypes/integer_row.h"

#include <algorithm>
#include <cmath>

#include "similarity/row_math.h"

namespace dppl {

void integer_row(std::span<const float> row, double clip, std::span<int32_t> out) {
  const double length = std::max(std::sqrt(sum_of_squares(row.data(), row.size())), clip);
  if (!(length > 0)) {
    std::fill(out.begin(), out.end(), 0);
    return;
  }
  // Truncation shortens, but `length` and the products are rounded; whether the bound holds is decided in integers. No
  // coordinate exceeds kRadius by more than a rounding, so the sum of squares fits.
  double scale = static_cast<double>(kRadius) / length;
  while (truncate_row(row.data(), row.size(), scale, out.data()) > kRadius * kRadius) scale *= 1 - 0x1p-40;
}

}  // namespace dppl
