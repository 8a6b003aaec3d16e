#pragma once

#include <fmt/format.h>

#include "base/digest.h"
#include "dppl/embeddings.h"

namespace dppl {

// Of type, shape and values of a matrix, row by row: the same in one file, in several and in memory.
class MatrixDigest {
 public:
  MatrixDigest(DType dtype, size_t rows, size_t dim) {
    const std::string shape = fmt::format("{} {} {}\n", to_string(dtype), rows, dim);
    stream_.add(std::as_bytes(std::span(shape)));
  }
  void add(std::span<const std::byte> row) { stream_.add(row); }
  Digest finish() { return stream_.finish(); }

 private:
  DigestStream stream_;
};

}  // namespace dppl
