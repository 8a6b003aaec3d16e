#pragma once

#include "dppl/mechanisms.h"
#include "methods/streams.h"
#include "statistics/bounded_sum.h"

namespace dppl {

// Releases what a statistic computed per class, in place of it. The statistic's bound is that of all classes together,
// so that every class may spend the whole budget.
struct NoisyClasses {
  Rational variance;
  Guarantee guarantee;
};
NoisyClasses release_class_sums(BoundedSum& sums, size_t classes, Budget budget, const FitStreams& streams,
                                unsigned threads);

// Noisy class sizes: Laplace noise for a pure budget, Gaussian otherwise.
struct NoisySizes {
  std::vector<int64_t> values;
  double variance;
  Guarantee guarantee;
};
NoisySizes release_class_sizes(const PrivateAccess& access, size_t classes, Budget budget, const FitStreams& streams);
NoisyClasses release_class_counts(BoundedSum& counts, Budget budget, const FitStreams& streams);

}  // namespace dppl
