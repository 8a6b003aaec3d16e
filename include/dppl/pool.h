#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dppl/slice.h"
#include "dppl/transform.h"

// Pool files: a public pool made ready once, for many fits. A pool may be cut into several files of contiguous rows,
// its shards, each made on its own; a manifest lists them. PublicData::open takes a pool file and a manifest like a
// .npy, and a fit gives the same bits however the pool is cut.
namespace dppl {

struct PoolOptions {
  TransformSpec transform = {};          // computed from the pool and stored with it
  std::optional<std::string> rows = {};  // .npy of row numbers: only these, in this order
  Slice shard = {};                      // which part of the rows; the transform is always that of all
  unsigned threads = kDefaultThreads;
  std::function<void(double)> progress = {};          // a fraction between 0 and 1
  std::function<void(const std::string&)> note = {};  // that there is nothing to do
};

// The shards of a pool, in order.
struct PoolManifest {
  struct Shard {
    std::string file;  // as the manifest says it, relative to where it stands
    size_t rows = 0;
    std::string digest;  // PoolInfo::digest of the file
  };
  std::string digest;  // of the pool
  size_t rows = 0;
  std::vector<Shard> shards = {};
};

struct PoolInfo {
  static constexpr uint32_t kVersion = 2;

  uint32_t version = kVersion;
  size_t rows = 0, dim = 0;  // of what is stored, after the transform
  size_t input_dim = 0;
  TransformSpec transform;
  uint64_t bytes = 0;
  // By which a model knows its pool: of the rows and the transform, however they are cut into files. Of a shard, and of
  // a file of version 1, the file's own.
  std::string digest;
  // Of the rows that a file was made of, as PublicData::digest tells it of a .npy; empty for a manifest.
  std::string source_digest;
  // Of a shard: where its rows stand in the whole pool. The whole has first_row = 0 and total_rows = rows.
  size_t first_row = 0, total_rows = 0;
  std::vector<PoolManifest::Shard> shards = {};  // of a manifest

  bool is_whole() const { return rows == total_rows; }
};

// Quantises the rows of a matrix (or of a pool without a transform) and writes them to `path`, row by row: neither the
// input nor the output is ever in memory whole. The file appears complete or not at all. Where it is there already and
// is what would be written, it is left alone.
PoolInfo build_pool(const PublicData& source, const PoolOptions& options, const std::string& path);

// The same of files: one or several .npy, one after the other, or one pool. A .npy is read once, and its rows are
// checked on the way; a transform reads some of them before.
PoolInfo build_pool(const std::vector<std::string>& sources, const PoolOptions& options, const std::string& path);

// Checks that these files are the shards of one pool, in whatever order they are named, and writes the manifest. It
// appears complete or not at all. Shards are named relative to it, so that all can be moved together.
PoolInfo commit_pool(const std::vector<std::string>& shards, const std::string& path,
                     unsigned threads = kDefaultThreads);

// Of a pool file, a shard or a manifest. Reads and checks all of it.
PoolInfo read_pool_info(const std::string& path, unsigned threads = kDefaultThreads);

// The list alone; the shards are not looked at.
PoolManifest read_pool_manifest(const std::string& path);

}  // namespace dppl
