#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dppl/embeddings.h"

namespace dppl {

// What a .npy file says it holds; `data` is exactly as long as dtype and shape need.
struct NpyArray {
  DType dtype;
  std::vector<uint64_t> shape;
  std::span<const std::byte> data;
};

// Reads the bytes of a whole .npy file. Trusts nothing in them: throws InvalidInput, beginning with `name`, for
// whatever is not a little-endian C-ordered array of a DType. Numbers that count or come from the array, which may be
// private, are in InvalidRecord's detail only; so it is below.
NpyArray parse_npy(std::span<const std::byte> file, std::string_view name);

// A one-dimensional array of integers (bool counts as one). Throws InvalidInput for other arrays and for values above
// 2^63 − 1.
std::vector<int64_t> integers_of(const NpyArray& array, std::string_view name);

// The texts of a one-dimensional array of NumPy's type U or S, as UTF-8 and without the zeros at their ends; empty for
// an array of something else. Throws as parse_npy() does, and InvalidRecord for what is no text.
std::optional<std::vector<std::string>> texts_of(std::span<const std::byte> file, std::string_view name);

inline constexpr size_t kNpyHeaderSize = 128;
// A version 1.0 header of always the same size, so that a stream of rows can write it again once the count is known.
std::string npy_header(DType dtype, std::span<const uint64_t> shape);

}  // namespace dppl
