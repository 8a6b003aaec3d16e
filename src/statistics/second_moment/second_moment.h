#pragma once

#include <Eigen/Core>

#include "methods/method.h"

// A metric that fits the private data: the second moment of all records, released once.
namespace dppl {

// A symmetric matrix in units of rows of length 1, and the standard deviation of the noise in each entry.
struct SecondMoment {
  Eigen::MatrixXd values;
  double sigma = 0;
};

// Σ x·xᵀ over all records, x scaled to length 1: released by its upper triangle.
//
// Why this is private: second_moment.proof.md. All classes are in it: it composes with what is released per class by
// addition.
Released<SecondMoment> release_second_moment(const FitInput& input, AddRemoveBudget budget, Random& random);
// What noise is added to: the upper triangle, row after row. Private.
std::vector<int64_t> exact_second_moment(const FitInput& input);

// The inverse of the second moment, as far as it stands out of its noise: inner products by it are those of the space
// in which the second moment is round.
Eigen::MatrixXd metric_of(const SecondMoment& moment);

// Prototypes for Distance::dot, in place (classes × dim): the inner product with a row is the row's cosine with the
// prototype by the metric, up to a factor of the row; a zero prototype stays zero.
void apply_metric(const Eigen::MatrixXd& metric, std::span<double> prototypes);

}  // namespace dppl
