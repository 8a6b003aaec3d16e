#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimation/pool_posterior.h"

// The records' own centre. Where the pool is foreign to them, all records lie far from the pool's mean, on the same
// side of it: most of their length then says nothing about classes, and gradient steps oscillate along it. Works on
// released values only.
namespace dppl {

// Per class, in parts of `full`: classes above the median size count as much as the median one, so that the centre is
// not that of the largest class.
std::vector<int64_t> centre_weights(std::span<const double> sizes, int64_t full);

struct NoisyTotal {
  std::vector<double> values;   // the weighted sum of the records' rows, in their unit
  double sigma = 0;             // of the noise in each
  std::vector<double> records;  // the weighted number of them in every class
};
// The centre by which rows are moved: the total over the number of records, each direction drawn to 0 as far as
// something else explains it: noise, and the classes' own means, whose average over few classes is not 0 where the pool
// fits, either. A class mean has a cosine of 1/√(1 + prior_variance) with a row (pool_posterior.h). Never longer than a
// typical row.
std::vector<double> centre_of(const NoisyTotal& total, const PoolPrior& prior, double prior_variance);

}  // namespace dppl
