#include "rows/check_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

#include "base/parallel.h"
#include "base/strict_math.h"
#include "dppl/invalid_record.h"
#include "rows/constants.h"

namespace dppl {
namespace {

template <typename T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// IEEE values seen as integers: without the sign, 0 is zero, and adding one unit of the exponent reaches the sign bit
// exactly for infinities and NaNs. Two ORs over the row decide both questions without a branch, so the loop runs at the
// speed of memory.
template <typename Bits, int kFractionBits, typename Load>
bool usable_floats(size_t dim, Load load_bits) {
  constexpr Bits kMagnitude = static_cast<Bits>(std::numeric_limits<Bits>::max() >> 1);
  constexpr Bits kExponentUnit = static_cast<Bits>(Bits{1} << kFractionBits);
  Bits any = 0, not_finite = 0;
  for (size_t i = 0; i < dim; ++i) {
    const Bits magnitude = static_cast<Bits>(load_bits(i) & kMagnitude);
    any = static_cast<Bits>(any | magnitude);
    not_finite = static_cast<Bits>(not_finite | (magnitude + kExponentUnit));
  }
  return any != 0 && not_finite <= kMagnitude;
}

bool usable_float16(const std::byte* row, size_t dim) {
  return usable_floats<uint16_t, 10>(dim, [row](size_t i) { return load<uint16_t>(row + 2 * i); });
}

bool usable_float32(const std::byte* row, size_t dim) {
  return usable_floats<uint32_t, 23>(dim, [row](size_t i) { return load<uint32_t>(row + 4 * i); });
}

// Judged after rounding: a value may be finite as float64 and infinite, or zero, as float32.
bool usable_float64(const std::byte* row, size_t dim) {
  return usable_floats<uint32_t, 23>(
      dim, [row](size_t i) { return std::bit_cast<uint32_t>(static_cast<float>(load<double>(row + 8 * i))); });
}

bool usable_integers(const std::byte* row, size_t dim) {
  return std::any_of(row, row + dim, [](std::byte value) { return value != std::byte{0}; });
}

auto usable_row(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return usable_float16;
    case DType::float32:
      return usable_float32;
    case DType::float64:
      return usable_float64;
    default:
      return usable_integers;
  }
}

[[noreturn]] void refuse_row(const Embeddings& embeddings, size_t row) {
  std::vector<float> values(embeddings.dim());
  embeddings.row(row, values);
  const auto found = std::find_if(values.begin(), values.end(), [](float value) { return !std::isfinite(value); });
  const bool zero = found == values.end();
  throw InvalidRecord(
      fmt::format(
          "{}: a row {}; remove the record or embed it again", embeddings.path(),
          zero ? "has no value but zeros, so it has no direction" : "has a value that is not finite, such as NaN"),
      zero ? fmt::format("row {} is zero", row)
           : fmt::format("row {} has {} at position {}, both counted from 0", row, *found, found - values.begin()));
}

}  // namespace

void check_rows(const Embeddings& embeddings, const std::optional<std::vector<uint64_t>>& chosen, unsigned threads) {
  const size_t dim = embeddings.dim();
  const auto usable = usable_row(embeddings.dtype());
  const auto row_of = [&](size_t i) { return chosen ? (*chosen)[i] : i; };
  const size_t count = chosen ? chosen->size() : embeddings.rows();
  const size_t block = std::max<size_t>(kCheckedBytes / (dim * item_size(embeddings.dtype())), 1);
  std::atomic<size_t> first_bad{count};
  std::mutex mutex;  // for whoever lowers it
  parallel_blocks(count, block, threads, [&](size_t begin, size_t end, unsigned) {
    if (begin > first_bad) return;
    for (size_t i = begin; i < end; ++i) {
      if (usable(embeddings.row_bytes(row_of(i)).data(), dim)) continue;
      const std::lock_guard lock(mutex);
      first_bad = std::min(first_bad.load(), i);
      return;
    }
    if (!chosen) embeddings.give_back(begin, end);
  });
  if (first_bad < count) refuse_row(embeddings, row_of(first_bad));
}

}  // namespace dppl
