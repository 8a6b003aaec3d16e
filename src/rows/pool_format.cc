#include "rows/pool_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "dppl/error.h"
#include "kernels/many_digests.h"

namespace dppl {
namespace {

static_assert(std::endian::native == std::endian::little, "stored arrays are used as they are");

using Kind = TransformSpec::Kind;

constexpr uint64_t kMostLeaves = uint64_t{1} << 20;

uint64_t aligned(uint64_t offset) { return (offset + kPoolAlign - 1) / kPoolAlign * kPoolAlign; }

// Of a power; 0 for one half.
uint64_t hundredths(double eigen_power) {
  return eigen_power == 0.5 ? 0 : static_cast<uint64_t>(std::lround(100 * eigen_power));
}

TransformSpec transform_of(const PoolHeader& header) {
  return {.kind = static_cast<Kind>(header.kind),
          .directions = header.directions,
          .window = header.average_pool,
          .eigen_power = header.eigen_hundredths == 0 ? 0.5 : static_cast<double>(header.eigen_hundredths) / 100};
}

bool shape_is_plausible(const PoolHeader& header) {
  const auto kind = static_cast<Kind>(header.kind);
  constexpr uint64_t kMost = uint64_t{1} << 44;
  const bool plausible = header.kind >= static_cast<uint32_t>(Kind::none) &&
                         header.kind <= static_cast<uint32_t>(Kind::whiten) && header.rows > 0 &&
                         header.rows <= std::numeric_limits<uint32_t>::max() && header.input_dim > 0 &&
                         header.input_dim <= QuantisedRows::kLargestDim && header.average_pool > 0 &&
                         header.average_pool <= header.input_dim && header.rows * header.input_dim <= kMost &&
                         header.eigen_hundredths <= 100 && (header.eigen_hundredths == 0 || kind == Kind::whiten);
  if (!plausible) return false;
  const uint64_t pooled = header.input_dim / header.average_pool;
  const uint64_t directions = kind >= Kind::pca ? header.directions : 0;
  return header.directions == directions && (kind < Kind::pca || directions > 0) && directions <= pooled &&
         header.dim == (directions > 0 ? directions : pooled) && all_zero(header.zeros);
}

bool part_is_plausible(const PoolHeader& header) {
  if (header.version == 1) {
    return header.total_rows == 0 && header.first_row == 0 && all_zero(header.mean) && all_zero(header.basis) &&
           all_zero(header.content);
  }
  if (header.version != 2 || header.total_rows > std::numeric_limits<uint32_t>::max() ||
      header.rows > header.total_rows || header.first_row > header.total_rows - header.rows) {
    return false;
  }
  const uint64_t leaf = leaf_rows(header.total_rows);
  const bool last = header.first_row + header.rows == header.total_rows;
  return header.first_row % leaf == 0 && (last || header.rows % leaf == 0) &&
         (header.rows == header.total_rows || all_zero(header.content));
}

}  // namespace

uint64_t leaf_rows(uint64_t total_rows) {
  uint64_t rows = 1;
  while ((total_rows + rows - 1) / rows > kMostLeaves) rows *= 2;
  return rows;
}

PoolLayout::PoolLayout(const PoolHeader& header) {
  const auto kind = static_cast<Kind>(header.kind);
  const uint64_t pooled = header.input_dim / header.average_pool;
  mean_size = kind >= Kind::center ? pooled : 0;
  basis_size = kind >= Kind::pca ? pooled * header.directions : 0;
  mean = kPoolHeaderSize;
  basis = aligned(mean + 4 * mean_size);
  values = aligned(basis + 4 * basis_size);
  factors = aligned(values + header.rows * header.dim);
  sums = aligned(factors + 4 * header.rows);
  scales = aligned(sums + 4 * header.rows);
  ids = aligned(scales + 4 * header.rows);
  table = aligned(ids + 8 * header.rows);
  const uint64_t leaf = leaf_rows(header.total_rows);
  table_size = header.version == 1 ? (table - kPoolHeaderSize + kDigestBlock - 1) / kDigestBlock
                                   : (header.rows + leaf - 1) / leaf;
  end = table + table_size * sizeof(Digest);
}

PoolHeader new_header(const PublicTransform& transform, uint64_t total_rows, Slice::Range rows) {
  const TransformSpec& spec = transform.spec();
  PoolHeader header{};
  std::memcpy(header.magic, kPoolMagic.data(), sizeof header.magic);
  header.version = PoolInfo::kVersion;
  header.kind = static_cast<uint32_t>(spec.kind);
  header.rows = rows.size();
  header.dim = transform.output_dim();
  header.input_dim = transform.input_dim();
  header.directions = spec.kind >= Kind::pca ? spec.directions : 0;
  header.average_pool = spec.window;
  header.eigen_hundredths = hundredths(spec.eigen_power);
  header.total_rows = total_rows;
  header.first_row = rows.begin;
  header.mean = digest_of(std::as_bytes(transform.mean()));
  header.basis = digest_of(std::as_bytes(transform.basis()));
  check_header(header);
  header.file_size = PoolLayout(header).end;
  return header;
}

void check_header(const PoolHeader& header) {
  if (!shape_is_plausible(header) || !part_is_plausible(header)) {
    throw InvalidInput("has a header that dppl does not write");
  }
}

Digest own_digest(const PoolHeader& header) {
  return digest_of(std::as_bytes(std::span(&header, 1)).first(kPoolHeaderSize - sizeof(Digest)));
}

PoolInfo info_of(const PoolHeader& header) {
  PoolInfo info;
  info.version = header.version;
  info.rows = header.rows;
  info.dim = header.dim;
  info.input_dim = header.input_dim;
  info.transform = transform_of(header);
  info.bytes = header.file_size;
  info.first_row = header.first_row;
  info.total_rows = header.version == 1 ? header.rows : header.total_rows;
  info.digest = to_hex(header.version > 1 && info.is_whole() ? header.content : header.self);
  info.source_digest = to_hex(header.source);
  return info;
}

std::vector<Digest> leaf_digests(const PoolRows& stored, size_t leaf, size_t begin, size_t end) {
  const auto& [rows, scales, ids] = stored;
  std::vector<MessagePieces> leaves;
  for (size_t first = begin; first < end; first += leaf) {
    const size_t count = std::min(leaf, end - first);
    leaves.push_back(
        {{std::as_bytes(std::span(rows.row(first), count * rows.dim())),
          std::as_bytes(rows.factors().subspan(first, count)), std::as_bytes(rows.sums().subspan(first, count)),
          std::as_bytes(scales.subspan(first, count)), std::as_bytes(ids.subspan(first, count))}});
  }
  std::vector<Digest> digests(leaves.size());
  const size_t whole = (end - begin) / leaf;
  digest_together(std::span(leaves).first(whole), std::span(digests).first(whole));
  digest_together(std::span(leaves).subspan(whole), std::span(digests).subspan(whole));
  return digests;
}

bool all_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

std::string content_frame(const PoolHeader& header) {
  return fmt::format("dppl pool content 1\n{} {} {} {}\n{} {}\n", header.total_rows, header.dim, header.input_dim,
                     transform_of(header).to_string(), to_hex(header.mean), to_hex(header.basis));
}

Digest content_of(const PoolHeader& header, std::span<const Digest> leaves) {
  ContentDigest content(content_frame(header));
  content.add(leaves);
  return content.finish();
}

}  // namespace dppl
