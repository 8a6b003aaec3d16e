#pragma once

#include <Eigen/Core>
#include <vector>

#include "dppl/embeddings.h"

namespace dppl {

// Where the pool's rows lie: their mean and the directions in which they vary, after unit length and average pooling.
// A function of the pool alone, bit for bit the same on every machine and with any number of threads.
struct PoolSpectrum {
  std::vector<float> mean;
  Eigen::VectorXd variances;   // descending
  Eigen::MatrixXd directions;  // in columns, in the same order; each one's largest entry is positive

  // Those in which the pool varies by more than rounding; at least one unless all rows are the same.
  size_t usable_directions() const;

  static PoolSpectrum of(const PublicData& pool, size_t average_pool, unsigned threads);
};

// The rows of a pool of `size` that its mean and directions are computed of: all of them up to 16,384, and so many
// evenly spaced ones of a larger pool. It follows from the size alone, so that every shard of a pool gets the same
// transform.
std::vector<uint64_t> transform_sample(size_t size);

std::vector<float> pool_mean(const PublicData& pool, size_t average_pool, unsigned threads);

}  // namespace dppl
