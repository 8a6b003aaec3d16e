#pragma once

#include <memory>
#include <span>
#include <string>

#include "rows/pool_format.h"

namespace dppl {

class MappedFile;

// A pool file, or a shard of a pool: whole, undamaged, and with rows that keep what the scores' proof asks of them,
// whoever wrote it.
class PoolFile {
 public:
  // Reads and checks every byte once, from front to back.
  static std::shared_ptr<const PoolFile> open(const std::string& path, unsigned threads);
  // `owner` keeps the bytes alive; `file` is where they are, if they are in one. Throws InvalidInput for what cannot be
  // used, with `name`.
  static std::shared_ptr<const PoolFile> parse(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                                               const std::string& name, unsigned threads,
                                               const MappedFile* file = nullptr);
  // The header alone, checked by its own digest; nothing behind it is read.
  static PoolHeader read_header(std::span<const std::byte> bytes);

  const PoolInfo& info() const { return info_; }
  const PoolHeader& header() const { return header_; }
  const PublicTransform& transform() const { return transform_; }
  const QuantisedRows& rows() const { return rows_; }
  std::span<const float> scales() const { return scales_; }
  std::span<const uint64_t> ids() const { return ids_; }
  std::span<const Digest> leaves() const { return leaves_; }  // empty for version 1
  const MappedFile* file() const { return file_; }
  // These rows were read and will not be needed soon (base/mapped_file.h).
  void give_back(size_t begin, size_t end) const;

 private:
  PoolFile(const PoolHeader& header, PublicTransform transform, QuantisedRows rows)
      : header_(header), info_(info_of(header)), transform_(std::move(transform)), rows_(std::move(rows)) {}

  void check_rows(unsigned threads) const;

  PoolHeader header_;
  PoolInfo info_;
  PublicTransform transform_;
  QuantisedRows rows_;
  std::span<const float> scales_;
  std::span<const uint64_t> ids_;
  std::span<const Digest> leaves_;
  const MappedFile* file_ = nullptr;
};

}  // namespace dppl
