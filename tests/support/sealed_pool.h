#pragma once

#include <algorithm>
#include <cstring>
#include <span>

#include "base/digest.h"
#include "dppl/error.h"
#include "rows/pool_format.h"

// For tests and fuzzers: a changed pool file whose digests are right again, as whoever writes such a file on purpose
// would make it.
namespace dppl::testing {

template <typename T>
std::span<T> section(std::span<std::byte> bytes, uint64_t offset, uint64_t count) {
  return {reinterpret_cast<T*>(bytes.data() + offset), count};
}

inline void seal_sections(std::span<std::byte> bytes, PoolHeader& header, const PoolLayout& layout) {
  const auto table = section<Digest>(bytes, layout.table, layout.table_size);
  if (header.version == 1) {
    for (size_t i = 0; i < table.size(); ++i) {
      const uint64_t begin = kPoolHeaderSize + i * kDigestBlock;
      table[i] = digest_of(bytes.subspan(begin, std::min<uint64_t>(kDigestBlock, layout.table - begin)));
    }
    header.table = digest_of(std::as_bytes(table));
    return;
  }
  const QuantisedRows rows(nullptr, header.dim, section<const int8_t>(bytes, layout.values, 0).data(),
                           section<const uint32_t>(bytes, layout.factors, header.rows),
                           section<const int32_t>(bytes, layout.sums, header.rows));
  const PoolRows stored{rows, section<const float>(bytes, layout.scales, header.rows),
                        section<const uint64_t>(bytes, layout.ids, header.rows)};
  std::ranges::copy(leaf_digests(stored, leaf_rows(header.total_rows), 0, header.rows), table.begin());
  header.table = digest_of(std::as_bytes(table));
  header.mean = digest_of(bytes.subspan(layout.mean, 4 * layout.mean_size));
  header.basis = digest_of(bytes.subspan(layout.basis, 4 * layout.basis_size));
  if (header.rows == header.total_rows) header.content = content_of(header, table);
}

inline void seal_pool_file(std::span<std::byte> bytes) {
  PoolHeader header;
  if (bytes.size() < sizeof header) return;
  std::memcpy(&header, bytes.data(), sizeof header);
  try {
    check_header(header);
    const PoolLayout layout(header);
    if (layout.end == bytes.size()) seal_sections(bytes, header, layout);
  } catch (const InvalidInput&) {
    // Only the header can be sealed.
  }
  header.self = own_digest(header);
  std::memcpy(bytes.data(), &header, sizeof header);
}

}  // namespace dppl::testing
