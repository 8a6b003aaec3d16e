#pragma once

#include <cstdint>
#include <span>
#include <vector>

// The records' own centre. Where the pool is foreign to them, all records lie far from the pool's mean, on the same
// side of it: most of their length then says nothing about classes, and gradient steps oscillate along it. Works on
// released values only.
namespace dppl {

// Per class, in parts of `full`: classes above the median size count as much as the median one, so that the centre is
// not that of the largest class.
std::vector<int64_t> centre_weights(std::span<const double> sizes, int64_t full);

struct NoisyTotal {
  std::vector<double> values;  // the weighted sum of the records' rows, in their unit
  double sigma = 0;            // of the noise in each
};
// The centre by which rows are moved: the total over the weighted number of records, each direction drawn to 0 as far
// as noise explains it. prior_variances: of rows by direction, on the pool; longest: it is never longer than this.
std::vector<double> centre_of(const NoisyTotal& total, double weighted_records, std::span<const double> prior_variances,
                              double longest);

}  // namespace dppl
