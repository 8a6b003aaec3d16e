#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "rows/quantised_rows.h"

namespace dppl {

// Rows that lie in several places, one behind the other under one numbering. Copies share the rows.
class ShardedRows {
 public:
  // In one place.
  ShardedRows(QuantisedRows rows) : ShardedRows(std::vector<QuantisedRows>{std::move(rows)}) {}
  // Precondition: at least one, all of the same dimension.
  explicit ShardedRows(std::vector<QuantisedRows> shards)
      : shards_(std::make_shared<const std::vector<QuantisedRows>>(std::move(shards))) {
    for (const QuantisedRows& shard : *shards_) ends_.push_back(rows() + shard.rows());
  }

  size_t rows() const { return ends_.empty() ? 0 : ends_.back(); }
  size_t dim() const { return shards_->front().dim(); }

  size_t shards() const { return shards_->size(); }
  const QuantisedRows& shard(size_t s) const { return (*shards_)[s]; }
  size_t first(size_t s) const { return s == 0 ? 0 : ends_[s - 1]; }
  // The shard that has row i.
  size_t find(size_t i) const {
    return ends_.size() == 1 ? 0 : static_cast<size_t>(std::upper_bound(ends_.begin(), ends_.end(), i) - ends_.begin());
  }

  uint32_t factor(size_t i) const {
    const size_t s = find(i);
    return shard(s).factor(i - first(s));
  }

  // work(s, begin, end) for the pieces of the rows begin … end − 1, numbered within their shard s.
  template <typename Work>
  void each_piece(size_t begin, size_t end, const Work& work) const {
    for (size_t s = find(begin); begin < end; ++s) {
      const size_t stop = std::min(end, ends_[s]);
      if (begin < stop) work(s, begin - first(s), stop - first(s));
      begin = std::max(begin, stop);
    }
  }

  // The same for some rows: work(s, indices, place) for those of one shard that stand side by side in `indices`, from
  // `place` on; numbered within the shard.
  template <typename Work>
  void each_run(std::span<const uint32_t> indices, const Work& work) const {
    std::vector<uint32_t> own;
    for (size_t begin = 0; begin < indices.size(); begin += own.size()) {
      const size_t s = find(indices[begin]);
      own.clear();
      for (size_t j = begin; j < indices.size() && indices[j] >= first(s) && indices[j] < ends_[s]; ++j) {
        own.push_back(static_cast<uint32_t>(indices[j] - first(s)));
      }
      work(s, std::span<const uint32_t>(own), begin);
    }
  }

 private:
  std::shared_ptr<const std::vector<QuantisedRows>> shards_;
  std::vector<size_t> ends_;  // after each shard
};

}  // namespace dppl
