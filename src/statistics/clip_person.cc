#include "statistics/clip_person.h"

#include <algorithm>
#include <cmath>

#include "base/strict_math.h"
#include "dppl/error.h"
#include "numbers/integers.h"

namespace dppl {
namespace {

// Exact: what n records of 2-norm 2^16 add up to has at most n²·2^32.
uint128 squares_of(std::span<const int64_t> values) {
  uint128 squares = 0;
  for (const int64_t value : values) squares += static_cast<uint128>(static_cast<int128>(value) * value);
  return squares;
}

}  // namespace

// The factor is at most radius/‖sum‖·(1 − 2^-40): the conversion of the exact square, the root, the quotient and the
// product are each off by at most 2^-53, and so is every value·factor before it is truncated, which only shortens.
void clip_person(std::span<int64_t> sum, int64_t radius) {
  const auto most = static_cast<uint128>(static_cast<int128>(radius) * radius);
  const uint128 squares = squares_of(sum);
  if (squares <= most) return;
  const double factor = static_cast<double>(radius) / std::sqrt(static_cast<double>(squares)) * (1 - 0x1p-40);
  for (int64_t& value : sum) value = static_cast<int64_t>(static_cast<double>(value) * factor);
  if (squares_of(sum) > most) std::ranges::fill(sum, 0);
}

void check_class_sizes(std::span<const double> sizes, size_t classes) {
  const auto usable = [](double size) { return std::isfinite(size) && size > 0; };
  if (sizes.empty() || (sizes.size() == classes && std::ranges::all_of(sizes, usable))) return;
  throw Error("people: sizes of classes must be above 0, one per class");
}

}  // namespace dppl
