#pragma once

#include "prototypes/pool_posterior.h"
#include "prototypes/second_moment.h"

namespace dppl {

// From noisy sums (classes × dim, rows of length 1, noise sigma in every coordinate) to prototypes: shrunk to the pool
// where there is a prior, seen through the metric where there is one, then scaled for the distance of the
// hyperparameters: to unit length (cosine), or so that uncertain classes are lifted (dot). Released and public values
// only.
std::vector<float> shape_prototypes(std::vector<double> sums, size_t classes, double sigma, const Hyperparameters& how,
                                    const PoolPrior* prior, const SecondMoment* moment, unsigned threads);

}  // namespace dppl
