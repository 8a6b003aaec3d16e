#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dppl/random.h"
#include "dppl/transform.h"
#include "kernels/spectrum.h"

namespace dppl {

// A proxy task: pairs of neighbourhoods of public rows stand for the classes of a private data set, what is left for
// the pool. All rows are in a common space, in which every transform with fewer directions can be computed.
class PseudoClasses {
 public:
  // Throws InvalidInput where the pool has too few rows for groups.
  PseudoClasses(const PublicData& pool, const PublicTransform& common, size_t classes, unsigned threads);

  size_t classes() const { return train_.size(); }
  size_t most_directions() const { return directions_; }
  size_t test_rows() const { return test_labels_.size(); }
  std::span<const size_t> test_labels() const { return test_labels_; }

  // Unit rows in the space of `directions` leading directions of the rows that stand for the pool, each divided by its
  // variance to the power eigen_power. `directions` = 0: the common space as it is.
  struct Rows {
    size_t dim;
    std::vector<float> pool, train, test;
  };
  Rows rows(size_t directions, double eigen_power, unsigned threads);

  // Which training rows (of Rows::train) stand for class c.
  std::span<const size_t> train(size_t c) const { return train_[c]; }

 private:
  std::vector<float> gather(std::span<const size_t> rows) const;

  size_t dim_, directions_;
  std::vector<float> values_;  // in the common space
  std::vector<size_t> pool_rows_, train_rows_, test_rows_;
  std::vector<std::vector<size_t>> train_;
  std::vector<size_t> test_labels_;
  Spectrum spectrum_;  // of the rows that stand for the pool; computed when first asked for
};

// Sizes of a data set of `records` records whose largest class is `ratio` times its smallest, largest first; each at
// least 1.
std::vector<uint64_t> expected_sizes(uint64_t records, size_t classes, double ratio);

}  // namespace dppl
