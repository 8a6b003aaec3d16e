#include "rows/check_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

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

// Positions 0 … count−1 are handed out in order, in blocks, so that several threads still read a file from front to
// back.
class FirstBad {
 public:
  FirstBad(size_t count, size_t block) : count_(count), block_(std::max<size_t>(block, 1)) {}

  // done(begin, end): these are good.
  template <typename IsGood, typename Done>
  void search(IsGood is_good, Done done) {
    while (first_bad_.load() == kNone) {
      const size_t begin = next_.fetch_add(block_);
      if (begin >= count_) return;
      const size_t end = std::min(begin + block_, count_);
      for (size_t i = begin; i < end; ++i) {
        if (!is_good(i)) {
          lower_to(i);
          return;
        }
      }
      done(begin, end);
    }
  }

  std::optional<size_t> result() const {
    return first_bad_ == kNone ? std::nullopt : std::optional<size_t>(first_bad_.load());
  }

 private:
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  // Blocks before the one with the bad position were handed out earlier and are finished by their threads.
  void lower_to(size_t i) {
    size_t known = first_bad_.load();
    while (i < known && !first_bad_.compare_exchange_weak(known, i)) {
    }
  }

  const size_t count_, block_;
  std::atomic<size_t> next_{0}, first_bad_{kNone};
};

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
  FirstBad first_bad(chosen ? chosen->size() : embeddings.rows(),
                     kCheckedBytes / (dim * item_size(embeddings.dtype())));
  const auto work = [&] {
    first_bad.search([&](size_t i) { return usable(embeddings.row_bytes(row_of(i)).data(), dim); },
                     [&](size_t begin, size_t end) {
                       if (!chosen) embeddings.give_back(begin, end);
                     });
  };
  {
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(work);
    work();
  }
  if (const std::optional<size_t> bad = first_bad.result()) refuse_row(embeddings, row_of(*bad));
}

}  // namespace dppl
