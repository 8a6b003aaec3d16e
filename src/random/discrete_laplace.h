#pragma once

#include "random/bernoulli.h"

namespace dppl {

// Integers with Pr[x] ∝ exp(−|x|/scale), exactly (Canonne, Kamath & Steinke 2020, algorithm 2).
class DiscreteLaplace {
 public:
  // Throws InvalidInput unless scale > 0 with numerator and denominator below 2^62.
  explicit DiscreteLaplace(const Rational& scale);

  // Saturated: beyond ±(2^63 − 1) that number.
  int64_t operator()(Random& random) const { return saturated(exact(random)); }
  // As it is: remainder and turns are below 2^62 and 2^63, so that nothing overflows.
  int128 exact(Random& random) const;

 private:
  uint64_t numerator_, denominator_;
  BernoulliExp part_;   // Bernoulli(exp(−n/numerator))
  BernoulliExp whole_;  // Bernoulli(exp(−n))
};

}  // namespace dppl
