#include "dppl/embeddings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/float16.h"
#include "base/mapped_file.h"
#include "dppl/invalid_record.h"
#include "rows/constants.h"
#include "rows/npy.h"

namespace dppl {
namespace {

void check_type(DType dtype, const std::string& name, std::string_view advice) {
  if (dtype == DType::float16 || dtype == DType::float32 || dtype == DType::float64 || dtype == DType::int8 ||
      dtype == DType::uint8) {
    return;
  }
  throw InvalidInput(fmt::format("{}: holds {} where float16, float32, float64, int8 or uint8 embeddings are needed{}",
                                 name, to_string(dtype), advice));
}

void check_dim(uint64_t dim, const std::string& name) {
  if (dim > 0 && dim <= kMaxDim) return;
  // Of a matrix that was saved the wrong way round this is the number of records.
  throw InvalidRecord(fmt::format("{}: rows of between 1 and {} values are possible; reshape it first", name, kMaxDim),
                      fmt::format("rows of {} values", dim));
}

void check_matrix(const NpyArray& array, const std::string& path) {
  check_type(array.dtype, path, "; save it with numpy.save(path, x.astype('float32'))");
  if (array.shape.size() != 2) {
    throw InvalidInput(fmt::format("{}: has {} dimensions where two are needed (rows, values); reshape it first", path,
                                   array.shape.size()));
  }
  check_dim(array.shape[1], path);
}

// The bytes from row to row of a matrix that can be used. Rows that overlap would let one value count in two records.
// Of a matrix that lies the wrong way round, strides tell the number of records.
size_t checked_stride(const MatrixView& matrix, const std::string& name) {
  check_type(matrix.dtype, name, "");
  check_dim(matrix.dim, name);
  const auto item = static_cast<ptrdiff_t>(item_size(matrix.dtype));
  const ptrdiff_t row_size = static_cast<ptrdiff_t>(matrix.dim) * item;
  const ptrdiff_t value_stride = matrix.value_stride.value_or(item), row_stride = matrix.row_stride.value_or(row_size);
  if (matrix.dim > 1 && value_stride != item) {
    throw InvalidRecord(
        fmt::format("{}: the values of a row do not lie side by side; give a copy in rows (C order)", name),
        fmt::format("they lie {} bytes apart and take {}", value_stride, item));
  }
  if (matrix.rows > 1 && row_stride < row_size) {
    throw InvalidRecord(fmt::format("{}: its rows overlap or run backwards; give a copy in rows (C order)", name),
                        fmt::format("they begin {} bytes apart and take {}", row_stride, row_size));
  }
  if (matrix.rows > 0 && matrix.data == nullptr) throw InvalidInput(fmt::format("{}: has no memory", name));
  return static_cast<size_t>(std::max(row_stride, row_size));
}

template <typename Stored, typename Convert>
void convert_row(const std::byte* row, std::span<float> out, Convert convert) {
  for (size_t i = 0; i < out.size(); ++i) {
    Stored value;
    std::memcpy(&value, row + i * sizeof value, sizeof value);
    out[i] = convert(value);
  }
}

// "a.npy and 7 more".
std::string name_of_all(const std::vector<std::string>& paths) {
  return paths.size() == 1 ? paths.front() : fmt::format("{} and {} more", paths.front(), paths.size() - 1);
}

bool is_aligned_for_float(const std::byte* data) { return reinterpret_cast<uintptr_t>(data) % alignof(float) == 0; }

}  // namespace

struct Embeddings::Parts {
  std::vector<Embeddings> parts;
  std::vector<size_t> ends;  // of each, in rows of the whole

  // The part that holds a row, and the row's number in it.
  std::pair<size_t, size_t> find(size_t row) const {
    const auto part = static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), row) - ends.begin());
    return {part, row - first(part)};
  }
  size_t first(size_t part) const { return part == 0 ? 0 : ends[part - 1]; }
};

MatrixView MatrixView::of(std::span<const float> values, size_t dim) {
  if (dim == 0 || dim > kMaxDim || values.size() % dim != 0) {
    throw InvalidRecord(fmt::format("embeddings in memory: the values do not make rows of {}", dim),
                        fmt::format("{} values", values.size()));
  }
  return {.data = values.data(), .rows = values.size() / dim, .dim = dim};
}

Embeddings::Embeddings(std::shared_ptr<const void> owner, const std::byte* data, size_t rows, size_t dim,
                       size_t row_stride, DType dtype, std::string path)
    : owner_(std::move(owner)),
      data_(data),
      rows_(rows),
      dim_(dim),
      row_size_(dim * item_size(dtype)),
      row_stride_(row_stride),
      dtype_(dtype),
      path_(std::move(path)) {}

Embeddings Embeddings::open(const std::string& path) {
  auto file = std::make_shared<const MappedFile>(path);
  const NpyArray array = parse_npy(file->bytes(), path);
  check_matrix(array, path);
  const std::byte* data = array.data.data();
  const MappedFile* mapped = file.get();
  Embeddings result(std::move(file), data, array.shape[0], array.shape[1], array.shape[1] * item_size(array.dtype),
                    array.dtype, path);
  result.file_ = mapped;
  return result;
}

Embeddings Embeddings::open_all(const std::vector<std::string>& paths) {
  std::vector<Embeddings> parts;
  for (const std::string& path : paths) parts.push_back(open(path));
  if (parts.size() == 1) return std::move(parts.front());
  return joined(std::move(parts), name_of_all(paths));
}

Embeddings Embeddings::joined(std::vector<Embeddings> parts, std::string name) {
  assert(!parts.empty());
  const size_t dim = parts.front().dim();
  const DType dtype = parts.front().dtype();
  auto all = std::make_shared<Parts>();
  size_t rows = 0;
  for (const Embeddings& part : parts) {
    if (part.dim() != dim || part.dtype() != dtype) {
      throw InvalidRecord(
          fmt::format("{}: is not of the same type and dimension as {}; embed both with the same encoder and save them "
                      "with the same type",
                      part.path(), parts.front().path()),
          fmt::format("rows of {} {} values, and of {} {}", part.dim(), to_string(part.dtype()), dim,
                      to_string(dtype)));
    }
    all->ends.push_back(rows += part.rows());
  }
  all->parts = std::move(parts);
  Embeddings result(nullptr, nullptr, rows, dim, dim * item_size(dtype), dtype, std::move(name));
  result.parts_ = std::move(all);
  return result;
}

Embeddings Embeddings::from_memory(std::vector<float> values, size_t dim) {
  auto owner = std::make_shared<const std::vector<float>>(std::move(values));
  const MatrixView matrix = MatrixView::of(*owner, dim);
  return view(matrix, std::move(owner));
}

Embeddings Embeddings::view(const MatrixView& matrix, std::shared_ptr<const void> owner, std::string name) {
  const size_t stride = checked_stride(matrix, name);
  return Embeddings(std::move(owner), static_cast<const std::byte*>(matrix.data), matrix.rows, matrix.dim, stride,
                    matrix.dtype, std::move(name));
}

const std::byte* Embeddings::start_in_parts(size_t i) const {
  const auto [part, row] = parts_->find(i);
  return parts_->parts[part].start_of(row);
}

template <typename Advise>
void Embeddings::advise(size_t begin, size_t end, Advise advise) const {
  if (begin >= end) return;
  if (file_ != nullptr) advise(*file_, std::span(start_of(begin), start_of(end - 1) + row_size_));
  if (!parts_) return;
  for (size_t part = parts_->find(begin).first; part < parts_->parts.size() && parts_->first(part) < end; ++part) {
    const size_t first = parts_->first(part);
    parts_->parts[part].advise(std::max(begin, first) - first, std::min(end, parts_->ends[part]) - first, advise);
  }
}

void Embeddings::expect(size_t begin, size_t end) const {
  advise(begin, end, [](const MappedFile& file, std::span<const std::byte> part) { file.expect(part); });
}

void Embeddings::give_back(size_t begin, size_t end) const {
  advise(begin, end, [](const MappedFile& file, std::span<const std::byte> part) { file.give_back(part); });
}

void Embeddings::row(size_t i, std::span<float> out) const {
  assert(i < rows_ && out.size() == dim_);
  const std::byte* bytes = start_of(i);
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
  const std::byte* bytes = start_of(i);
  if (dtype_ == DType::float32 && is_aligned_for_float(bytes)) return {reinterpret_cast<const float*>(bytes), dim_};
  const std::span<float> out = scratch.first(dim_);
  row(i, out);
  return out;
}

}  // namespace dppl
