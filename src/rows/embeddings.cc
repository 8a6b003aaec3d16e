#include "dppl/embeddings.h"

#include <fmt/format.h>

#include <cassert>
#include <cstring>

#include "base/float16.h"
#include "base/mapped_file.h"
#include "dppl/invalid_record.h"
#include "rows/limits.h"
#include "rows/npy.h"

namespace dppl {
namespace {

bool is_embedding_type(DType dtype) {
  return dtype == DType::float16 || dtype == DType::float32 || dtype == DType::float64 || dtype == DType::int8 ||
         dtype == DType::uint8;
}

void check_matrix(const NpyArray& array, const std::string& path) {
  if (!is_embedding_type(array.dtype)) {
    throw InvalidInput(
        fmt::format("{}: holds {} where float16, float32, float64, int8 or uint8 embeddings are needed; "
                    "save it with numpy.save(path, x.astype('float32'))",
                    path, to_string(array.dtype)));
  }
  if (array.shape.size() != 2) {
    throw InvalidInput(fmt::format("{}: has {} dimensions where two are needed (rows, values); reshape it first", path,
                                   array.shape.size()));
  }
  if (array.shape[1] == 0 || array.shape[1] > kMaxDim) {
    // Of a matrix that was saved the wrong way round this is the number of records.
    throw InvalidRecord(
        fmt::format("{}: rows of between 1 and {} values are possible; reshape it first", path, kMaxDim),
        fmt::format("rows of {} values", array.shape[1]));
  }
}

template <typename Stored, typename Convert>
void convert_row(const std::byte* row, std::span<float> out, Convert convert) {
  for (size_t i = 0; i < out.size(); ++i) {
    Stored value;
    std::memcpy(&value, row + i * sizeof value, sizeof value);
    out[i] = convert(value);
  }
}

bool is_aligned_for_float(const std::byte* data) { return reinterpret_cast<uintptr_t>(data) % alignof(float) == 0; }

}  // namespace

Embeddings::Embeddings(std::shared_ptr<const void> owner, const std::byte* data, size_t rows, size_t dim, DType dtype,
                       std::string path)
    : owner_(std::move(owner)),
      data_(data),
      rows_(rows),
      dim_(dim),
      row_size_(dim * item_size(dtype)),
      dtype_(dtype),
      path_(std::move(path)) {}

Embeddings Embeddings::open(const std::string& path) {
  auto file = std::make_shared<const MappedFile>(path);
  const NpyArray array = parse_npy(file->bytes(), path);
  check_matrix(array, path);
  return Embeddings(std::move(file), array.data.data(), array.shape[0], array.shape[1], array.dtype, path);
}

Embeddings Embeddings::from_memory(std::vector<float> values, size_t dim) {
  if (dim == 0 || dim > kMaxDim || values.size() % dim != 0) {
    throw InvalidRecord(fmt::format("embeddings in memory: the values do not make rows of {}", dim),
                        fmt::format("{} values", values.size()));
  }
  auto owner = std::make_shared<const std::vector<float>>(std::move(values));
  const std::byte* data = reinterpret_cast<const std::byte*>(owner->data());
  const size_t rows = owner->size() / dim;
  return Embeddings(std::move(owner), data, rows, dim, DType::float32, "embeddings in memory");
}

void Embeddings::row(size_t i, std::span<float> out) const {
  assert(i < rows_ && out.size() == dim_);
  const std::byte* bytes = data_ + i * row_size_;
  switch (dtype_) {
    case DType::float32:
      std::memcpy(out.data(), bytes, row_size_);
      return;
    case DType::float16:
      return convert_row<uint16_t>(bytes, out, half_to_float);
    case DType::float64:
      return convert_row<double>(bytes, out, [](double value) { return static_cast<float>(value); });
    case DType::int8:
      return convert_row<int8_t>(bytes, out, [](int8_t value) { return static_cast<float>(value); });
    case DType::uint8:
      return convert_row<uint8_t>(bytes, out, [](uint8_t value) { return static_cast<float>(value); });
    default:
      assert(false);
  }
}

std::span<const float> Embeddings::row_view(size_t i, std::span<float> scratch) const {
  const std::byte* bytes = data_ + i * row_size_;
  if (dtype_ == DType::float32 && is_aligned_for_float(bytes)) return {reinterpret_cast<const float*>(bytes), dim_};
  const std::span<float> out = scratch.first(dim_);
  row(i, out);
  return out;
}

}  // namespace dppl
