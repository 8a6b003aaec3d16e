#pragma once

#include "methods/method.h"
#include "rows/integer_row.h"

namespace dppl {

// For every class the exact sum of its records' integer rows (classes × output_dim) and their number. Integer sums do
// not depend on the order of records or threads.
struct ClassSums {
  std::vector<int64_t> sums;
  std::vector<int64_t> counts;
};
ClassSums class_sums(const FitInput& input, double clip);

// The clipping radius that the hyperparameters ask for; 0: unit length.
double clip_of(const Hyperparameters& hyperparameters);

// Releases every class's sum, each class with the whole budget because a record has one class: noisy sums in place of
// `sums`. The bound must be for the budget's relation.
struct NoisySums {
  Rational variance;
  Guarantee guarantee;
};
NoisySums release_sums(std::vector<int64_t>& sums, size_t classes, NormBound bound, Budget budget, Random& random,
                       unsigned threads);

}  // namespace dppl
