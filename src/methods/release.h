#pragma once

#include "dppl/mechanisms.h"
#include "methods/streams.h"
#include "statistics/bounded_sum.h"

namespace dppl {

// Releases what a statistic computed per class, in place of it. A record has one class, so that every class may spend
// the whole budget.
struct NoisyClasses {
  Rational variance;
  Guarantee guarantee;
};
NoisyClasses release_class_sums(BoundedSum& sums, size_t classes, Budget budget, const FitStreams& streams,
                                unsigned threads);
// Laplace noise for a pure budget, Gaussian otherwise.
NoisyClasses release_class_counts(BoundedSum& counts, Budget budget, const FitStreams& streams);

}  // namespace dppl
