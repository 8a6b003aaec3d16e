#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <thread>

#include "base/atomic_file.h"
#include "base/mapped_file.h"
#include "base/parallel.h"
#include "dppl/invalid_record.h"
#include "rows/check_rows.h"
#include "rows/class_rows.h"
#include "rows/constants.h"
#include "rows/matrix_digest.h"
#include "rows/pool_file.h"
#include "rows/pool_shards.h"
#include "rows/pool_spectrum.h"
#include "rows/public_access.h"

namespace dppl {
namespace {

// The rows of the source that a file is made of, in order.
class ChosenRows {
 public:
  ChosenRows(const PublicData& source, const PoolOptions& options) : total_(source.size()) {
    if (options.rows) {
      ids_ = read_rows(*options.rows, source.size());
      if (ids_->empty()) throw InvalidInput(fmt::format("{}: names no row; a pool needs at least one", *options.rows));
      total_ = ids_->size();
    }
    constexpr size_t kMostRows = std::numeric_limits<uint32_t>::max();
    if (total_ > kMostRows) {
      throw InvalidInput(
          fmt::format("{}: {} rows; a pool has at most {}", source.embeddings().path(), total_, kMostRows));
    }
    range_ = options.shard.of(total_, leaf_rows(total_), "rows");
  }

  size_t total() const { return total_; }
  Slice::Range range() const { return range_; }
  size_t size() const { return range_.size(); }
  bool contiguous() const { return !ids_; }
  // The numbers in the source of some of them.
  std::vector<uint64_t> ids(size_t begin, size_t end) const {
    std::vector<uint64_t> result(end - begin);
    const auto first = static_cast<std::ptrdiff_t>(range_.begin + begin);
    if (ids_) {
      std::copy_n(ids_->begin() + first, result.size(), result.begin());
    } else {
      std::iota(result.begin(), result.end(), static_cast<uint64_t>(first));
    }
    return result;
  }

 private:
  size_t total_;
  std::optional<std::vector<uint64_t>> ids_;  // empty: all
  Slice::Range range_;
};

// The rows of a pool are known by the pool's digest; those of a matrix by their own, computed on the way.
class SourceDigest {
 public:
  SourceDigest(const PublicData& source, const ChosenRows& chosen) : embeddings_(source.embeddings()) {
    if (PublicAccess(source).shards() != nullptr) {
      known_ = from_hex(source.digest());
    } else {
      rows_.emplace(embeddings_.dtype(), chosen.size(), embeddings_.dim());
    }
  }
  void add(std::span<const uint64_t> ids) {
    if (!rows_) return;
    for (const uint64_t id : ids) rows_->add(embeddings_.row_bytes(id));
  }
  Digest finish() { return rows_ ? rows_->finish() : known_; }

 private:
  const Embeddings& embeddings_;
  std::optional<MatrixDigest> rows_;
  Digest known_{};
};

// Walks over the chosen rows in blocks: read ahead before, memory given back behind.
template <typename Work>
void for_blocks(const Embeddings& source, const ChosenRows& chosen, Work work) {
  const size_t row_size = source.dim() * item_size(source.dtype());
  const size_t at_once = std::max<size_t>(kBytesAtOnce / row_size / kRowsAtOnce, 1) * kRowsAtOnce;
  std::vector<uint64_t> ids = chosen.ids(0, std::min(at_once, chosen.size()));
  for (size_t begin = 0; !ids.empty();) {
    const size_t end = begin + ids.size();
    std::vector<uint64_t> next = chosen.ids(end, std::min(end + at_once, chosen.size()));
    if (!next.empty() && chosen.contiguous()) source.expect(next.front(), next.back() + 1);
    work(begin, ids);
    const auto [first, last] = std::minmax_element(ids.begin(), ids.end());
    source.give_back(*first, *last + 1);
    begin = end;
    ids = std::move(next);
  }
}

// Digests of the source and of the result, side by side with quantising.
class PoolWriter {
 public:
  PoolWriter(const PublicData& source, const ChosenRows& chosen, const PublicTransform& transform,
             const PoolHeader& header, const PoolOptions& options, const std::string& path)
      : source_(source.embeddings()),
        chosen_(chosen),
        transform_(transform),
        options_(options),
        header_(header),
        layout_(header),
        leaf_(leaf_rows(header.total_rows)),
        digest_(source, chosen),
        file_(path) {
    file_.reserve(layout_.end);
  }

  // `checked`: the rows of the source are known to be usable.
  PoolHeader write(bool checked) && {
    file_.write_at(layout_.mean, std::as_bytes(transform_.mean()));
    file_.write_at(layout_.basis, std::as_bytes(transform_.basis()));
    for_blocks(source_, chosen_, [&](size_t begin, const std::vector<uint64_t>& ids) {
      if (!checked) with_public_records([&] { check_rows(source_, ids, options_.threads); });
      write_block(begin, ids);
      if (options_.progress) {
        options_.progress(static_cast<double>(begin + ids.size()) / static_cast<double>(chosen_.size()));
      }
    });
    file_.write_at(layout_.table, std::as_bytes(std::span(leaves_)));
    header_.table = digest_of(std::as_bytes(std::span(leaves_)));
    header_.source = digest_.finish();
    if (header_.rows == header_.total_rows) header_.content = content_of(header_, leaves_);
    header_.self = own_digest(header_);
    file_.write_at(0, std::as_bytes(std::span(&header_, 1)));
    file_.commit();
    return header_;
  }

 private:
  void write_block(size_t begin, const std::vector<uint64_t>& ids) {
    std::vector<float> scales(ids.size());
    const auto quantised = [&] {
      return quantise(
          source_, ids.size(), transform_, options_.threads, [&](size_t i) { return ids[i]; }, scales);
    };
    const QuantisedRows rows = [&] {
      if (options_.threads < 2) {
        digest_.add(ids);
        return quantised();
      }
      const std::jthread digesting([&] { digest_.add(ids); });
      return quantised();
    }();
    const size_t first_leaf = leaves_.size();
    leaves_.resize(first_leaf + (ids.size() + leaf_ - 1) / leaf_);
    const PoolRows stored{rows, scales, ids};
    const size_t at_once = std::max(kRowsAtOnce / 16, leaf_);
    parallel_blocks(ids.size(), at_once, options_.threads, [&](size_t from, size_t to, unsigned) {
      std::ranges::copy(leaf_digests(stored, leaf_, from, to),
                        leaves_.begin() + static_cast<ptrdiff_t>(first_leaf + from / leaf_));
    });
    file_.write_at(layout_.values + begin * rows.dim(), std::as_bytes(std::span(rows.row(0), ids.size() * rows.dim())));
    file_.write_at(layout_.factors + begin * sizeof(uint32_t), std::as_bytes(rows.factors()));
    file_.write_at(layout_.sums + begin * sizeof(int32_t), std::as_bytes(rows.sums()));
    file_.write_at(layout_.scales + begin * sizeof(float), std::as_bytes(std::span(scales)));
    file_.write_at(layout_.ids + begin * sizeof(uint64_t), std::as_bytes(std::span(ids)));
  }

  const Embeddings& source_;
  const ChosenRows& chosen_;
  const PublicTransform& transform_;
  const PoolOptions& options_;
  PoolHeader header_;
  PoolLayout layout_;
  const size_t leaf_;
  SourceDigest digest_;
  AtomicFile file_;
  std::vector<Digest> leaves_;
};

// A header of a file that is there, without what only the rows decide.
std::optional<PoolHeader> header_at(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return std::nullopt;
  try {
    return PoolFile::read_header(MappedFile(path).bytes());
  } catch (const Error&) {
    return std::nullopt;  // whatever it is, it is replaced
  }
}

// Whether `path` is what would be written: the same shape, part and transform, made of the same rows, and whole.
bool is_there(const PublicData& source, const ChosenRows& chosen, const PoolHeader& header, unsigned threads,
              const std::string& path) {
  const std::optional<PoolHeader> found = header_at(path);
  if (!found) return false;
  PoolHeader shape = *found;
  shape.source = shape.table = shape.content = shape.self = Digest{};
  if (std::memcmp(&shape, &header, sizeof header) != 0) return false;
  SourceDigest digest(source, chosen);
  for_blocks(source.embeddings(), chosen, [&](size_t, const std::vector<uint64_t>& ids) { digest.add(ids); });
  if (digest.finish() != found->source) return false;
  try {
    // Equal rows may stand in several places of the source.
    return std::ranges::equal(PoolFile::open(path, threads)->ids(), chosen.ids(0, chosen.size()));
  } catch (const InvalidInput&) {
    return false;
  }
}

// A transform reads some rows before all are checked.
void check_sample(const Embeddings& source, unsigned threads) {
  const std::vector<uint64_t> sample = transform_sample(source.rows());
  for (size_t begin = 0; begin < sample.size(); begin += kRowsAtOnce) {
    const auto first = sample.begin() + static_cast<ptrdiff_t>(begin);
    const std::vector<uint64_t> some(first,
                                     first + static_cast<ptrdiff_t>(std::min(kRowsAtOnce, sample.size() - begin)));
    if (sample.size() < source.rows()) {
      for (const uint64_t row : some) source.expect(row, row + 1);
    }
    with_public_records([&] { check_rows(source, some, threads); });
    source.give_back(some.front(), some.back() + 1);
  }
}

PoolInfo build(const PublicData& source, bool checked, const PoolOptions& options, const std::string& path) {
  if (source.dim() > QuantisedRows::kLargestDim) {
    throw InvalidInput(
        fmt::format("embeddings of dimension {}: at most {} are supported", source.dim(), QuantisedRows::kLargestDim));
  }
  if (const auto stored = stored_transform(source)) {
    throw InvalidInput(fmt::format("{}: holds rows after {} already; build from the embeddings that it was made of",
                                   source.embeddings().path(), stored->to_string()));
  }
  const ChosenRows chosen(source, options);
  if (!checked && options.transform.needs_pool()) check_sample(source.embeddings(), options.threads);
  const PublicTransform transform = PublicTransform::compute(options.transform, source.dim(), source, options.threads);
  const PoolHeader header = new_header(transform, chosen.total(), chosen.range());
  if (is_there(source, chosen, header, options.threads, path)) {
    if (options.note) options.note(fmt::format("{}: is there already, whole and made of the same rows", path));
    return info_of(*header_at(path));
  }
  return info_of(PoolWriter(source, chosen, transform, header, options, path).write(checked));
}

}  // namespace

PoolInfo build_pool(const PublicData& source, const PoolOptions& options, const std::string& path) {
  return build(source, true, options, path);
}

PoolInfo build_pool(const std::vector<std::string>& sources, const PoolOptions& options, const std::string& path) {
  if (sources.empty()) throw InvalidInput(fmt::format("{}: there is nothing to make it of", path));
  if (sources.size() == 1 && PoolShards::is_prepared(sources.front())) {
    return build(PublicData::open(sources.front(), options.threads), true, options, path);
  }
  Embeddings rows = with_public_records([&] { return Embeddings::open_all(sources); });
  return build(PublicAccess::unchecked(std::move(rows)), false, options, path);
}

}  // namespace dppl
