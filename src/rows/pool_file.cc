#include "rows/pool_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/mapped_file.h"
#include "base/parallel.h"
#include "dppl/error.h"
#include "kernels/byte_rows.h"
#include "rows/constants.h"

namespace dppl {
namespace {

constexpr std::string_view kAgain = "copy it again or build it again with dppl pool build";

[[noreturn]] void refuse(std::string_view what) { throw InvalidInput(std::string(what)); }

[[noreturn]] void refuse_damage() {
  refuse(fmt::format("was changed or damaged: its digest does not match; {}", kAgain));
}

template <typename T>
std::span<const T> section(std::span<const std::byte> bytes, uint64_t offset, uint64_t count) {
  return {reinterpret_cast<const T*>(bytes.data() + offset), count};
}

std::vector<float> finite_floats(std::span<const float> values) {
  for (const float value : values) {
    if (!std::isfinite(value)) refuse("holds a number that is not finite");
  }
  return {values.begin(), values.end()};
}

// What quantised_rows.h promises of a row. The scores' bound, and with it the guarantee, rests on the factor.
void check_row(const QuantisedRows& rows, std::span<const float> scales, size_t i) {
  const auto [sum, squares] = byte_totals(rows.row(i), rows.dim());
  // No other factor: a smaller one would be no danger to the bound, but to what the kernels rely on.
  const bool bounded = rows.factor(i) == cosine_factor(static_cast<uint64_t>(squares));
  const bool scaled = std::isfinite(128 * scales[i]) && scales[i] >= 0;
  if (!bounded || largest_byte_pair(rows.row(i), rows.dim()) > 128 || sum != rows.sum(i) || !scaled) {
    refuse(fmt::format("row {} is not one that dppl writes", i));
  }
}

// Version 1.
void check_blocks(std::span<const std::byte> bytes, const PoolLayout& layout, unsigned threads) {
  const auto table = section<Digest>(bytes, layout.table, layout.table_size);
  parallel_blocks(layout.table_size, 1, threads, [&](size_t i, size_t, unsigned) {
    const uint64_t begin = kPoolHeaderSize + i * kDigestBlock;
    const auto block = bytes.subspan(begin, std::min<uint64_t>(kDigestBlock, layout.table - begin));
    if (digest_of(block) != table[i]) refuse_damage();
  });
}

// Version 2: what lies outside of rows. Between sections there is nothing but zeros.
void check_frame(std::span<const std::byte> bytes, const PoolHeader& header, const PoolLayout& layout) {
  const auto mean = section<float>(bytes, layout.mean, layout.mean_size);
  const auto basis = section<float>(bytes, layout.basis, layout.basis_size);
  bool whole = digest_of(std::as_bytes(mean)) == header.mean && digest_of(std::as_bytes(basis)) == header.basis;
  const std::pair<uint64_t, uint64_t> gaps[] = {{layout.mean + 4 * layout.mean_size, layout.basis},
                                                {layout.basis + 4 * layout.basis_size, layout.values},
                                                {layout.values + header.rows * header.dim, layout.factors},
                                                {layout.factors + 4 * header.rows, layout.sums},
                                                {layout.sums + 4 * header.rows, layout.scales},
                                                {layout.scales + 4 * header.rows, layout.ids},
                                                {layout.ids + 8 * header.rows, layout.table}};
  for (const auto& [begin, end] : gaps) whole = whole && all_zero(bytes.subspan(begin, end - begin));
  if (!whole) refuse_damage();
}

}  // namespace

PoolHeader PoolFile::read_header(std::span<const std::byte> bytes) {
  if (bytes.size() < kPoolMagic.size() || std::memcmp(bytes.data(), kPoolMagic.data(), kPoolMagic.size()) != 0) {
    refuse("is not a pool file; make one with dppl pool build");
  }
  PoolHeader header;
  if (bytes.size() < sizeof header) refuse(fmt::format("is cut short; {}", kAgain));
  std::memcpy(&header, bytes.data(), sizeof header);
  // Before the digest: a later version may compute another one.
  if (header.version > PoolInfo::kVersion) {
    refuse(fmt::format("was made by a newer dppl (pool version {}, this program reads up to {}); upgrade dppl",
                       header.version, PoolInfo::kVersion));
  }
  if (own_digest(header) != header.self) refuse_damage();
  return header;
}

std::shared_ptr<const PoolFile> PoolFile::parse(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                                                const std::string& name, unsigned threads, const MappedFile* file) try {
  const PoolHeader header = read_header(bytes);
  check_header(header);
  const PoolLayout layout(header);
  if (header.file_size != layout.end) refuse("has a header that dppl does not write");
  if (bytes.size() < layout.end)
    refuse(fmt::format("is cut short ({} of {} bytes); {}", bytes.size(), layout.end, kAgain));
  if (bytes.size() > layout.end) refuse("something follows its end; build it again with dppl pool build");
  const auto table = section<Digest>(bytes, layout.table, layout.table_size);
  if (digest_of(std::as_bytes(table)) != header.table) refuse_damage();
  if (header.version == 1) {
    check_blocks(bytes, layout, threads);
  } else {
    check_frame(bytes, header, layout);
  }

  const PoolInfo info = info_of(header);
  PublicTransform transform = PublicTransform::restore(
      info.transform, info.input_dim, finite_floats(section<float>(bytes, layout.mean, layout.mean_size)),
      finite_floats(section<float>(bytes, layout.basis, layout.basis_size)));
  QuantisedRows rows(std::move(owner), info.dim, reinterpret_cast<const int8_t*>(bytes.data() + layout.values),
                     section<uint32_t>(bytes, layout.factors, info.rows),
                     section<int32_t>(bytes, layout.sums, info.rows), file);
  const std::shared_ptr<PoolFile> pool(new PoolFile(header, std::move(transform), std::move(rows)));
  pool->scales_ = section<float>(bytes, layout.scales, info.rows);
  pool->ids_ = section<uint64_t>(bytes, layout.ids, info.rows);
  pool->file_ = file;
  if (header.version > 1) pool->leaves_ = table;
  pool->check_rows(threads);
  if (header.version > 1 && info.is_whole() && content_of(header, table) != header.content) refuse_damage();
  return pool;
} catch (const InvalidInput& error) {
  throw InvalidInput(fmt::format("{}: {}", name, error.what()));
}

void PoolFile::check_rows(unsigned threads) const {
  const size_t leaf = leaf_rows(info_.total_rows), count = info_.rows;
  const size_t block = (std::max<size_t>(kValuesAtOnce / info_.dim, 1) + leaf - 1) / leaf * leaf;
  parallel_blocks(count, block, threads, [&](size_t begin, size_t end, unsigned) {
    // The block that this thread will probably have next.
    const size_t next = std::min(begin + std::max(threads, 1u) * block, count);
    rows_.expect(next, std::min(next + block, count));
    if (!leaves_.empty()) {
      const std::vector<Digest> digests = leaf_digests({rows_, scales_, ids_}, leaf, begin, end);
      if (!std::equal(digests.begin(), digests.end(), leaves_.begin() + static_cast<ptrdiff_t>(begin / leaf))) {
        refuse_damage();
      }
    }
    for (size_t i = begin; i < end; ++i) check_row(rows_, scales_, i);
    give_back(begin, end);
  });
}

void PoolFile::give_back(size_t begin, size_t end) const {
  if (file_ == nullptr) return;
  rows_.give_back(begin, end);
  file_->give_back(std::as_bytes(scales_.subspan(begin, end - begin)));
  file_->give_back(std::as_bytes(ids_.subspan(begin, end - begin)));
}

std::shared_ptr<const PoolFile> PoolFile::open(const std::string& path, unsigned threads) {
  auto file = std::make_shared<const MappedFile>(path);
  const MappedFile* mapped = file.get();
  return parse(std::move(file), mapped->bytes(), path, threads, mapped);
}

}  // namespace dppl
