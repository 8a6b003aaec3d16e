#pragma once

#include <functional>
#include <optional>
#include <string>

#include "dppl/transform.h"

// Pool files: a public pool made ready once, for many fits. PublicData::open takes them like a .npy.
namespace dppl {

struct PoolOptions {
  TransformSpec transform;          // computed from the pool and stored with it
  std::optional<std::string> rows;  // .npy of row numbers: only these, in this order
  unsigned threads = kDefaultThreads;
  std::function<void(double)> progress;  // a fraction between 0 and 1
};

struct PoolInfo {
  static constexpr uint32_t kVersion = 1;

  uint32_t version = kVersion;
  size_t rows = 0, dim = 0;  // of what is stored, after the transform
  size_t input_dim = 0;
  TransformSpec transform;
  uint64_t bytes = 0;
  std::string digest, source_digest;  // of the file; of the .npy it was made of
};

// Quantises the rows of a .npy (or of a pool file without a transform) and writes them to `path`, row by row: neither
// the input nor the output is ever in memory whole. The file appears complete or not at all.
PoolInfo build_pool(const PublicData& source, const PoolOptions& options, const std::string& path);

// Reads and checks all of the file.
PoolInfo read_pool_info(const std::string& path, unsigned threads = kDefaultThreads);

}  // namespace dppl
