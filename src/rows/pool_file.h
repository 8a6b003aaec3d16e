#pragma once

#include <memory>
#include <span>
#include <string>

#include "dppl/pool.h"
#include "rows/quantised_rows.h"

// The layout of a pool file, little endian, every section at a multiple of 64:
//   header (512 bytes): magic, version, shape, transform, size of the file, digest of the source, digest of the block
//     table; at its end the digest of the header itself, which is the identity of the pool;
//   mean, basis      float32, of the transform, if it has them
//   values           int8, rows × dim    }
//   factors, sums    uint32, int32       } see rows/quantised_rows.h
//   scales           float32: value·scale is the transformed row
//   ids              uint64: the row's number in the source
//   block table      BLAKE2b-256 of every 4 MiB between the header and the table, so that all cores can check it
namespace dppl {

inline constexpr std::string_view kPoolMagic = "dpplpool";

class PoolFile {
 public:
  static std::shared_ptr<const PoolFile> open(const std::string& path, unsigned threads);
  // `owner` keeps the bytes alive. Throws InvalidInput unless the file is whole, undamaged, and holds what the scores'
  // proof asks of rows, whoever wrote it.
  static std::shared_ptr<const PoolFile> parse(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                                               const std::string& name, unsigned threads);

  const PoolInfo& info() const { return info_; }
  const PublicTransform& transform() const { return transform_; }
  const QuantisedRows& rows() const { return rows_; }
  std::span<const float> scales() const { return scales_; }
  std::span<const uint64_t> ids() const { return ids_; }

 private:
  PoolFile(PoolInfo info, PublicTransform transform, QuantisedRows rows, std::span<const float> scales,
           std::span<const uint64_t> ids);

  PoolInfo info_;
  PublicTransform transform_;
  QuantisedRows rows_;
  std::span<const float> scales_;
  std::span<const uint64_t> ids_;
};

}  // namespace dppl
