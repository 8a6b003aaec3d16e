#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace dppl {

// An array of bytes as MNIST and its successors are published. `data` is exactly as long as the shape needs.
struct IdxArray {
  std::vector<uint64_t> shape;
  std::span<const std::byte> data;
  std::shared_ptr<const void> owner;  // keeps data alive
};

// Whether a file, plain or packed by gzip, begins as an IDX file does.
bool is_idx(std::span<const std::byte> file, std::string_view name);

// The bytes of a whole file, plain or packed by gzip; `owner` keeps them alive. Trusts nothing in them: throws
// InvalidInput, beginning with `name`, for whatever is not an array of unsigned bytes of one to four dimensions.
IdxArray parse_idx(std::span<const std::byte> file, std::shared_ptr<const void> owner, std::string_view name);

}  // namespace dppl
