#include "kernels/byte_rows.h"

#include <algorithm>
#include <cstdlib>

#include "kernels/kernel_dispatch.h"

namespace dppl {
namespace {

template <CpuLevel>
DPPL_INLINE ByteTotals byte_totals_body(const int8_t* x, size_t n) {
  int32_t sum = 0, squares = 0;
  for (size_t i = 0; i < n; ++i) {
    sum += x[i];
    squares += x[i] * x[i];
  }
  return {sum, squares};
}

template <CpuLevel>
DPPL_INLINE int32_t largest_byte_pair_body(const int8_t* x, size_t n) {
  int16_t largest = 0;
  for (size_t i = 0; i + 1 < n; i += 2) {
    const auto pair = static_cast<int16_t>(std::abs(x[i]) + std::abs(x[i + 1]));
    largest = std::max(largest, pair);
  }
  return n % 2 == 0 ? largest : std::max<int32_t>(largest, std::abs(x[n - 1]));
}

}  // namespace

DPPL_KERNEL(ByteTotals, byte_totals, (const int8_t* x, size_t n), (x, n))
DPPL_KERNEL(int32_t, largest_byte_pair, (const int8_t* x, size_t n), (x, n))

}  // namespace dppl
