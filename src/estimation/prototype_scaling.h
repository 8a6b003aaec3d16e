#pragma once

#include "estimation/pool_posterior.h"
#include "statistics/second_moment/second_moment.h"

namespace dppl {

// From noisy sums (classes × dim, rows of length 1, noise sigma in every coordinate) to prototypes: shrunk to the pool
// where there is a prior, then finished. Released and public values only.
std::vector<float> shape_prototypes(std::vector<double> sums, size_t classes, double sigma, const Hyperparameters& how,
                                    const PoolPrior* prior, const SecondMoment* moment, unsigned threads);

// The second half of it: means seen through the metric where there is one, then scaled for the distance of the
// hyperparameters: to unit length (cosine), or so that uncertain classes are lifted (dot).
std::vector<float> finish_prototypes(std::vector<double> means, size_t classes, double lift,
                                     const Eigen::MatrixXd* metric);

}  // namespace dppl
