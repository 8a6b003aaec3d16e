#include "rows/pool_file.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/atomic_file.h"
#include "base/digest.h"
#include "base/mapped_file.h"
#include "base/parallel.h"
#include "dppl/error.h"
#include "rows/class_rows.h"

namespace dppl {
namespace {

static_assert(std::endian::native == std::endian::little, "stored arrays are used as they are");

using Kind = TransformSpec::Kind;

constexpr size_t kAlign = 64;
constexpr size_t kHeaderSize = 512;
constexpr size_t kBlock = size_t{4} << 20;
constexpr size_t kRowsAtOnce = 4096;

struct Header {
  char magic[8];
  uint32_t version, kind;
  uint64_t rows, dim, input_dim, directions, average_pool, file_size;
  Digest source, table;
  uint64_t percent;  // whiten: a hundred times its power; 0: fifty
  std::byte zeros[kHeaderSize - 168];
  Digest self;
};
static_assert(sizeof(Header) == kHeaderSize && std::is_trivially_copyable_v<Header>);

uint64_t aligned(uint64_t offset) { return (offset + kAlign - 1) / kAlign * kAlign; }

// Where everything stands, from the header's numbers alone.
struct Layout {
  uint64_t mean, basis, values, factors, sums, scales, ids, table, end;
  uint64_t mean_size, basis_size, blocks;

  explicit Layout(const Header& header) {
    const auto kind = static_cast<Kind>(header.kind);
    const uint64_t pooled = header.input_dim / header.average_pool;
    mean_size = kind >= Kind::center ? pooled : 0;
    basis_size = kind >= Kind::pca ? pooled * header.directions : 0;
    mean = kHeaderSize;
    basis = aligned(mean + 4 * mean_size);
    values = aligned(basis + 4 * basis_size);
    factors = aligned(values + header.rows * header.dim);
    sums = aligned(factors + 4 * header.rows);
    scales = aligned(sums + 4 * header.rows);
    ids = aligned(scales + 4 * header.rows);
    table = aligned(ids + 8 * header.rows);
    blocks = (table - kHeaderSize + kBlock - 1) / kBlock;
    end = table + blocks * sizeof(Digest);
  }
};

std::span<const std::byte> block_of(std::span<const std::byte> bytes, const Layout& layout, size_t i) {
  const uint64_t begin = kHeaderSize + i * kBlock;
  return bytes.subspan(begin, std::min<uint64_t>(kBlock, layout.table - begin));
}

Digest own_digest(const Header& header) {
  return digest_of(std::as_bytes(std::span(&header, 1)).first(kHeaderSize - sizeof(Digest)));
}

// ---- Reading

constexpr std::string_view kAgain = "copy it again or build it again with dppl pool build";

[[noreturn]] void refuse(std::string_view what) { throw InvalidInput(std::string(what)); }

Header read_header(std::span<const std::byte> bytes) {
  if (bytes.size() < kPoolMagic.size() || std::memcmp(bytes.data(), kPoolMagic.data(), kPoolMagic.size()) != 0) {
    refuse("is not a pool file; make one with dppl pool build");
  }
  Header header;
  if (bytes.size() < sizeof header) refuse(fmt::format("is cut short; {}", kAgain));
  std::memcpy(&header, bytes.data(), sizeof header);
  // Before the digest: a later version may compute another one.
  if (header.version > PoolInfo::kVersion) {
    refuse(fmt::format("was made by a newer dppl (pool version {}, this program reads up to {}); upgrade dppl",
                       header.version, PoolInfo::kVersion));
  }
  if (own_digest(header) != header.self)
    refuse(fmt::format("was changed or damaged: its digest does not match; {}", kAgain));
  return header;
}

// Numbers that no builder writes, and sizes that would overflow.
void check_header(const Header& header) {
  const auto kind = static_cast<Kind>(header.kind);
  constexpr uint64_t kMost = uint64_t{1} << 40;
  const bool plausible = header.version == 1 && header.kind <= static_cast<uint32_t>(Kind::whiten) &&
                         kind != Kind::raw && header.rows > 0 && header.rows <= std::numeric_limits<uint32_t>::max() &&
                         header.input_dim > 0 && header.input_dim <= QuantisedRows::kLargestDim &&
                         header.average_pool > 0 && header.average_pool <= header.input_dim &&
                         header.rows * header.input_dim <= kMost && header.percent <= 100 &&
                         (header.percent == 0 || kind == Kind::whiten);
  if (!plausible) refuse("has a header that dppl does not write");
  const uint64_t pooled = header.input_dim / header.average_pool;
  const uint64_t directions = kind >= Kind::pca ? header.directions : 0;
  const bool fits = header.directions == directions && (kind < Kind::pca || directions > 0) && directions <= pooled &&
                    header.dim == (directions > 0 ? directions : pooled);
  for (const std::byte zero : header.zeros) {
    if (zero != std::byte{0}) refuse("has a header that dppl does not write");
  }
  if (!fits) refuse("has a header that dppl does not write");
}

void check_blocks(std::span<const std::byte> bytes, const Header& header, const Layout& layout, unsigned threads) {
  const auto table = bytes.subspan(layout.table);
  bool whole = digest_of(table) == header.table;
  std::vector<uint8_t> matches(layout.blocks);
  parallel_blocks(whole ? layout.blocks : 0, 1, threads, [&](size_t i, size_t, unsigned) {
    const Digest digest = digest_of(block_of(bytes, layout, i));
    matches[i] = std::memcmp(digest.data(), table.data() + i * sizeof digest, sizeof digest) == 0 ? 1 : 0;
  });
  for (const uint8_t match : matches) whole = whole && match != 0;
  if (!whole) refuse(fmt::format("was changed or damaged: its digest does not match; {}", kAgain));
}

// What quantised_rows.h promises of a row. The scores' bound, and with it the guarantee, rests on the factor.
void check_row(const QuantisedRows& rows, size_t i) {
  const int8_t* row = rows.row(i);
  int64_t squares = 0, sum = 0;
  int32_t largest = 0;
  for (size_t k = 0; k < rows.dim(); ++k) {
    squares += row[k] * row[k];
    sum += row[k];
  }
  for (size_t k = 0; k + 1 < rows.dim(); k += 2) largest = std::max(largest, std::abs(row[k]) + std::abs(row[k + 1]));
  // No other factor: a smaller one would be no danger to the bound, but to what the kernels rely on.
  const bool bounded = rows.factor(i) == cosine_factor(static_cast<uint64_t>(squares));
  if (!bounded || largest > 128 || sum != rows.sum(i)) refuse(fmt::format("row {} is not one that dppl writes", i));
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

PoolInfo info_of(const Header& header) {
  PoolInfo info;
  info.version = header.version;
  info.rows = header.rows;
  info.dim = header.dim;
  info.input_dim = header.input_dim;
  info.transform = {.kind = static_cast<Kind>(header.kind),
                    .directions = header.directions,
                    .average_pool = header.average_pool,
                    .percent = header.percent == 0 ? 50 : static_cast<unsigned>(header.percent)};
  info.bytes = header.file_size;
  info.digest = to_hex(header.self);
  info.source_digest = to_hex(header.source);
  return info;
}

// ---- Writing

// Everything behind the header goes through here, and is digested in blocks.
class BlockWriter {
 public:
  explicit BlockWriter(AtomicFile& file) : file_(file) {}

  void write(std::span<const std::byte> bytes) {
    file_.write(bytes);
    size_ += bytes.size();
    while (!bytes.empty()) {
      const auto part = bytes.first(std::min(bytes.size(), kBlock - pending_.size()));
      pending_.insert(pending_.end(), part.begin(), part.end());
      bytes = bytes.subspan(part.size());
      if (pending_.size() == kBlock) close_block();
    }
  }

  template <typename T>
  void section(std::span<const T> values) {
    write(std::as_bytes(values));
    pad();
  }

  void pad() {
    const std::vector<std::byte> zeros(aligned(kHeaderSize + size_) - (kHeaderSize + size_));
    write(zeros);
  }

  const std::vector<Digest>& finish() {
    if (!pending_.empty()) close_block();
    return table_;
  }

 private:
  void close_block() {
    table_.push_back(digest_of(pending_));
    pending_.clear();
  }

  AtomicFile& file_;
  uint64_t size_ = 0;
  std::vector<std::byte> pending_;
  std::vector<Digest> table_;
};

}  // namespace

PoolFile::PoolFile(PoolInfo info, PublicTransform transform, QuantisedRows rows, std::span<const float> scales,
                   std::span<const uint64_t> ids)
    : info_(std::move(info)), transform_(std::move(transform)), rows_(std::move(rows)), scales_(scales), ids_(ids) {}

std::shared_ptr<const PoolFile> PoolFile::parse(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                                                const std::string& name, unsigned threads) try {
  const Header header = read_header(bytes);
  check_header(header);
  const Layout layout(header);
  if (header.file_size != layout.end) refuse("has a header that dppl does not write");
  if (bytes.size() < layout.end)
    refuse(fmt::format("is cut short ({} of {} bytes); {}", bytes.size(), layout.end, kAgain));
  if (bytes.size() > layout.end) refuse("something follows its end; build it again with dppl pool build");
  check_blocks(bytes, header, layout, threads);

  const PoolInfo info = info_of(header);
  PublicTransform transform = PublicTransform::restore(
      info.transform, info.input_dim, finite_floats(section<float>(bytes, layout.mean, layout.mean_size)),
      finite_floats(section<float>(bytes, layout.basis, layout.basis_size)));
  QuantisedRows rows(owner, info.dim, reinterpret_cast<const int8_t*>(bytes.data() + layout.values),
                     section<uint32_t>(bytes, layout.factors, info.rows),
                     section<int32_t>(bytes, layout.sums, info.rows));
  const auto scales = section<float>(bytes, layout.scales, info.rows);
  parallel_blocks(info.rows, 1024, threads, [&](size_t begin, size_t end, unsigned) {
    for (size_t i = begin; i < end; ++i) {
      check_row(rows, i);
      if (!std::isfinite(128 * scales[i]) || scales[i] < 0)
        refuse(fmt::format("row {} is not one that dppl writes", i));
    }
  });
  return std::shared_ptr<const PoolFile>(new PoolFile(info, std::move(transform), std::move(rows), scales,
                                                      section<uint64_t>(bytes, layout.ids, info.rows)));
} catch (const InvalidInput& error) {
  throw InvalidInput(fmt::format("{}: {}", name, error.what()));
}

std::shared_ptr<const PoolFile> PoolFile::open(const std::string& path, unsigned threads) {
  auto file = std::make_shared<const MappedFile>(path);
  return parse(file, file->bytes(), path, threads);
}

void seal_pool_file(std::span<std::byte> bytes) {
  Header header;
  if (bytes.size() < sizeof header) return;
  std::memcpy(&header, bytes.data(), sizeof header);
  try {
    check_header(header);
    const Layout layout(header);
    if (layout.end == bytes.size()) {
      for (size_t i = 0; i < layout.blocks; ++i) {
        const Digest digest = digest_of(block_of(bytes, layout, i));
        std::memcpy(bytes.data() + layout.table + i * sizeof digest, digest.data(), sizeof digest);
      }
      header.table = digest_of(bytes.subspan(layout.table));
    }
  } catch (const InvalidInput&) {
    // Only the header can be sealed.
  }
  header.self = own_digest(header);
  std::memcpy(bytes.data(), &header, sizeof header);
}

PoolInfo build_pool(const PublicData& source, const PoolOptions& options, const std::string& path) {
  if (options.transform.kind == Kind::raw) {
    throw InvalidInput("transform raw: pool files hold rows of unit length; use none, center, pca:K or whiten:K");
  }
  if (source.dim() > QuantisedRows::kLargestDim) {
    throw InvalidInput(
        fmt::format("embeddings of dimension {}: at most {} are supported", source.dim(), QuantisedRows::kLargestDim));
  }
  std::vector<uint64_t> ids;
  if (options.rows) {
    ids = read_rows(*options.rows, source.size());
    if (ids.empty()) throw InvalidInput(fmt::format("{}: names no row; a pool needs at least one", *options.rows));
  } else {
    ids.resize(source.size());
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = i;
  }
  AtomicFile file(path);
  const PublicTransform transform = PublicTransform::compute(options.transform, source.dim(), &source, options.threads);

  Header header{};
  std::memcpy(header.magic, kPoolMagic.data(), sizeof header.magic);
  header.version = PoolInfo::kVersion;
  header.kind = static_cast<uint32_t>(options.transform.kind);
  header.rows = ids.size();
  header.dim = transform.output_dim();
  header.input_dim = source.dim();
  header.directions = options.transform.kind >= Kind::pca ? options.transform.directions : 0;
  header.average_pool = options.transform.average_pool;
  header.percent = options.transform.percent == 50 ? 0 : options.transform.percent;
  check_header(header);
  const Layout layout(header);
  header.file_size = layout.end;
  file.reserve(layout.end);
  file.write(std::as_bytes(std::span(&header, 1)));

  BlockWriter out(file);
  out.section(transform.mean());
  out.section(transform.basis());
  std::vector<uint32_t> factors;
  std::vector<int32_t> sums;
  std::vector<float> scales(ids.size());
  for (size_t begin = 0; begin < ids.size(); begin += kRowsAtOnce) {
    const size_t count = std::min(kRowsAtOnce, ids.size() - begin);
    const QuantisedRows rows = quantise(
        source.embeddings(), count, transform, options.threads, [&](size_t i) { return ids[begin + i]; },
        std::span(scales).subspan(begin, count));
    out.write(std::as_bytes(std::span(rows.row(0), count * rows.dim())));
    factors.insert(factors.end(), rows.factors().begin(), rows.factors().end());
    sums.insert(sums.end(), rows.sums().begin(), rows.sums().end());
    if (options.progress) options.progress(static_cast<double>(begin + count) / static_cast<double>(ids.size()));
  }
  out.pad();
  out.section(std::span<const uint32_t>(factors));
  out.section(std::span<const int32_t>(sums));
  out.section(std::span<const float>(scales));
  out.section(std::span<const uint64_t>(ids));
  const std::vector<Digest>& table = out.finish();
  file.write(std::as_bytes(std::span(table)));
  header.table = digest_of(std::as_bytes(std::span(table)));
  header.source = from_hex(source.digest());
  header.self = own_digest(header);
  file.overwrite(0, {reinterpret_cast<const char*>(&header), sizeof header});
  file.commit();
  return info_of(header);
}

PoolInfo read_pool_info(const std::string& path, unsigned threads) { return PoolFile::open(path, threads)->info(); }

}  // namespace dppl
