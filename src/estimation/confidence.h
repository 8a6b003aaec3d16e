#pragma once

#include <span>

#include "estimation/pool_posterior.h"

// How sure a classifier may be of what it says. Released and public values only, so it costs no budget.
namespace dppl {

// What scores have to be multiplied with so that their softmax is a probability, at most 1. A record is expected to be
// half its class and half something else that the pool shows: it has the same cosine with the class mean as a class
// mean with what explains it, and is moved towards an atom besides. Class means are where the posterior expects them,
// and off by as much as it leaves open. Records are made like this from the atoms, without a draw, as many of each
// class as of any other; the factor is the one with the largest likelihood. Real records are harder to tell apart than
// made ones, above all where the pool is foreign, so the factor never makes a classifier more sure than it is.
// scores: those of prototypes (classes × dim, in the space of the posterior) times `scale`.
double confidence(std::span<const float> prototypes, double scale, const Posterior& posterior, const PoolPrior& prior,
                  double prior_variance, unsigned threads);

}  // namespace dppl
