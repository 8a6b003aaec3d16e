#include <fmt/format.h>

#include <array>

#include "base/atomic_file.h"
#include "dppl/embeddings.h"
#include "dppl/error.h"
#include "rows/npy.h"

namespace dppl {
namespace {

template <typename T>
void write_vector(const std::string& path, DType dtype, std::span<const T> values) {
  AtomicFile file(path);
  const uint64_t shape[] = {values.size()};
  file.write(npy_header(dtype, shape));
  file.write(std::as_bytes(values));
  file.commit();
}

}  // namespace

void write_npy(const std::string& path, std::span<const float> values, size_t dim) {
  NpyRowsWriter writer(path, dim);
  writer.append(values);
  writer.commit();
}

void write_npy(const std::string& path, std::span<const int32_t> values) { write_vector(path, DType::int32, values); }
void write_npy(const std::string& path, std::span<const int64_t> values) { write_vector(path, DType::int64, values); }

NpyRowsWriter::NpyRowsWriter(const std::string& path, size_t dim) : dim_(dim) {
  if (dim == 0) throw InvalidInput(fmt::format("{}: rows need at least one value", path));
  file_ = std::make_unique<AtomicFile>(path);
  file_->write(npy_header(DType::float32, std::array<uint64_t, 2>{0, dim}));
}

NpyRowsWriter::~NpyRowsWriter() = default;
NpyRowsWriter::NpyRowsWriter(NpyRowsWriter&&) noexcept = default;
NpyRowsWriter& NpyRowsWriter::operator=(NpyRowsWriter&&) noexcept = default;

void NpyRowsWriter::append(std::span<const float> rows) {
  if (rows.size() % dim_ != 0) {
    throw InvalidInput(fmt::format("embeddings to write: {} values do not make rows of {}", rows.size(), dim_));
  }
  file_->write(std::as_bytes(rows));
  rows_ += rows.size() / dim_;
}

void NpyRowsWriter::commit() {
  file_->write_at(0, npy_header(DType::float32, std::array<uint64_t, 2>{rows_, dim_}));
  file_->commit();
}

}  // namespace dppl
