#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rows/pool_file.h"

namespace dppl {

// A pool that was made ready: one pool file, or all shards of a manifest.
class PoolShards {
 public:
  using Files = std::vector<std::shared_ptr<const PoolFile>>;

  // A pool file or a manifest, by its first bytes. Throws InvalidInput for a shard alone: it is not a pool.
  static std::shared_ptr<const PoolShards> open(const std::string& path, unsigned threads);
  static bool is_prepared(const std::string& path);

  const PoolInfo& info() const { return info_; }  // of the whole
  const PublicTransform& transform() const { return files_.front()->transform(); }
  std::span<const std::shared_ptr<const PoolFile>> files() const { return files_; }

  // Of a row of the whole.
  float scale(size_t row) const;
  uint64_t id(size_t row) const;

 private:
  PoolShards(Files files, PoolInfo info) : files_(std::move(files)), info_(std::move(info)) {}
  // The file that holds a row, and the row's number in it.
  std::pair<const PoolFile*, size_t> find(size_t row) const;

  Files files_;
  PoolInfo info_;
};

}  // namespace dppl
