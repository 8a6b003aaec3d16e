#pragma once

#include "random/discrete_laplace.h"

namespace dppl {

// Integers with Pr[x] ∝ exp(−x²/(2·variance)), exactly (Canonne, Kamath & Steinke 2020, algorithm 3).
class DiscreteGaussian {
 public:
  // Throws InvalidInput unless 0 < variance <= 2^80 with a denominator of at most 2^40.
  explicit DiscreteGaussian(const Rational& variance);

  // Saturated, as DiscreteLaplace's.
  int64_t operator()(Random& random) const;

  // The step that makes it so: a proposal y of discrete Laplace noise of scale t is kept with probability
  // exp(−(|y| − variance/t)²/(2·variance)), exactly.
  bool accept(Random& random, int128 proposal) const;

 private:
  Rational variance_;
  int128 numerator_;  // of the variance
  int128 stride_;     // t·denominator, t = floor(σ) + 1 the scale of the proposal
  double unit_;       // log2(e)/(2·variance·(t·denominator)²)
  DiscreteLaplace proposal_;
};

}  // namespace dppl
