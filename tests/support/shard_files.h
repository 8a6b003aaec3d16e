#pragma once

#include <fmt/format.h>

#include <numeric>

#include "dppl/pool.h"
#include "dppl/shards.h"
#include "support/temp_dir.h"

namespace dppl::testing {

// A pool file, and the same rows again in as many files as are asked for.
class ShardFiles {
 public:
  ShardFiles(std::vector<float> values, size_t dim, const std::string& transform = "none")
      : source_(PublicData::from_memory(std::move(values), dim, 1)), transform_(TransformSpec::parse(transform)) {
    build_pool(source_, {.transform = transform_, .rows = {}, .threads = 1, .progress = {}}, whole());
  }

  struct Cut {
    std::vector<std::string> paths;
    std::vector<size_t> firsts;
    std::vector<RemotePool::Shard> shards;
    std::string manifest;

    SelectionShard open(size_t s) const { return {paths[s], firsts[s], 1}; }
    std::vector<SelectionShard> open() const {
      std::vector<SelectionShard> all;
      for (size_t s = 0; s < paths.size(); ++s) all.push_back(open(s));
      return all;
    }
  };

  std::string whole() const { return dir_.path("whole.pool"); }
  PublicData pool() const { return PublicData::open(whole(), 1); }

  Cut cut(size_t parts) const {
    Cut result;
    for (size_t s = 0; s < parts; ++s) {
      result.paths.push_back(dir_.path(fmt::format("{}-{}.pool", s, parts)));
      const PoolInfo info =
          build_pool(source_, {.transform = transform_, .shard = {s + 1, parts}, .threads = 1}, result.paths.back());
      result.firsts.push_back(info.first_row);
      result.shards.push_back({info.digest, info.rows});
    }
    result.manifest = dir_.path(fmt::format("{}.pools", parts));
    commit_pool(result.paths, result.manifest, 1);
    return result;
  }

 private:
  TempDir dir_;
  PublicData source_;
  TransformSpec transform_;
};

// Carries requests to shards of this process.
inline RemotePool::Ask carrier(std::vector<SelectionShard>& shards) {
  return [&shards](std::span<const ShardRequest> requests) {
    std::vector<std::string> replies;
    for (const ShardRequest& request : requests) replies.push_back(shards[request.shard()].answer(request.message()));
    return replies;
  };
}

}  // namespace dppl::testing
