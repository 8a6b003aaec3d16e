#pragma once

#include <span>

#include "estimation/pool_posterior.h"

// How sure a classifier may be of what it says. Released and public values only, so it costs no budget.
namespace dppl {

// What scores have to be multiplied with so that their softmax is a probability, at most 1. A record is expected to lie
// about its class mean as a public row lies about its nearest neighbours: records are made of public rows, the class
// mean in the neighbours' place. Class means are where the posterior expects them, and off by as much as it leaves
// open, towards an atom. There is no draw, and there are as many records of each class as of any other; the factor is
// the one with the largest likelihood. Real records are harder to tell apart than made ones, above all where the pool
// is foreign, so the factor never makes a classifier more sure than it is. scores: those of prototypes (classes × dim,
// in the space of the posterior) times `scale`.
double confidence(std::span<const float> prototypes, double scale, const Posterior& posterior, const PoolPrior& prior,
                  double prior_variance, unsigned threads);

}  // namespace dppl
