#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/digest.h"
#include "dppl/pool.h"
#include "rows/quantised_rows.h"

// The layout of a pool file, little endian, every section at a multiple of 64, zeros in between:
//   header (512 bytes): magic, version, shape, transform, size of the file, digests; at its end the digest of the
//   header
//     itself, which is the identity of the file;
//   mean, basis      float32, of the transform, if it has them
//   values           int8, rows × dim    }
//   factors, sums    uint32, int32       } see rows/quantised_rows.h
//   scales           float32: value·scale is the transformed row
//   ids              uint64: the row's number in the source
//   table            of digests, BLAKE2b-256
// Version 1: the table has one digest for every 4 MiB between the header and the table.
// Version 2: a file may hold a part of a pool, and the table has one digest per leaf: so many consecutive rows of the
// whole pool (leaf_rows), with all that is stored of them. The digest of the content is computed of the shape, the
// transform and the leaves of the whole pool, so that it is the same for every cut into files.
namespace dppl {

inline constexpr std::string_view kPoolMagic = "dpplpool";
inline constexpr size_t kPoolAlign = 64;
inline constexpr size_t kPoolHeaderSize = 512;
inline constexpr size_t kDigestBlock = size_t{4} << 20;  // version 1

struct PoolHeader {
  char magic[8];
  uint32_t version, kind;
  uint64_t rows, dim, input_dim, directions, average_pool, file_size;
  Digest source, table;
  uint64_t eigen_hundredths;  // whiten: a hundred times its power; 0: fifty
  // From version 2 on, zeros before.
  uint64_t total_rows, first_row;  // of the whole pool; of this file in it
  Digest mean, basis;
  Digest content;  // zeros in a file that holds a part
  std::byte zeros[kPoolHeaderSize - 280];
  Digest self;
};
static_assert(sizeof(PoolHeader) == kPoolHeaderSize && std::is_trivially_copyable_v<PoolHeader>);

// The smallest power of two with which a pool of so many rows has at most 2^20 leaves: it follows from the whole alone,
// so that every part agrees. Pools are cut at multiples of it; up to a million rows anywhere.
uint64_t leaf_rows(uint64_t total_rows);

// Where everything stands, from the header's numbers alone.
struct PoolLayout {
  uint64_t mean, basis, values, factors, sums, scales, ids, table, end;
  uint64_t mean_size, basis_size, table_size;  // in floats, floats, digests

  explicit PoolLayout(const PoolHeader& header);
};

// The header of a file of these rows; what is known only in the end, the digests, is zero.
PoolHeader new_header(const PublicTransform& transform, uint64_t total_rows, Slice::Range rows);

// Throws InvalidInput for numbers that no builder writes, and for sizes that would overflow.
void check_header(const PoolHeader& header);

Digest own_digest(const PoolHeader& header);
PoolInfo info_of(const PoolHeader& header);

// Rows as they are stored, with all that is stored of them.
struct PoolRows {
  const QuantisedRows& rows;
  std::span<const float> scales;
  std::span<const uint64_t> ids;
};
// Of the leaves from row `begin` to row `end`, of so many rows each; the last one may have fewer.
std::vector<Digest> leaf_digests(const PoolRows& stored, size_t leaf, size_t begin, size_t end);

bool all_zero(std::span<const std::byte> bytes);

// What files must agree on to be parts of one pool: shape and transform of the whole, as text.
std::string content_frame(const PoolHeader& header);
// Of the frame and the tables of all parts, in order.
class ContentDigest {
 public:
  explicit ContentDigest(std::string_view frame) { stream_.add(std::as_bytes(std::span(frame))); }
  void add(std::span<const Digest> leaves) { stream_.add(std::as_bytes(leaves)); }
  Digest finish() { return stream_.finish(); }

 private:
  DigestStream stream_;
};
// The same for a file that holds the whole pool.
Digest content_of(const PoolHeader& header, std::span<const Digest> leaves);

}  // namespace dppl
