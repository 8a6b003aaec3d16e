#pragma once

#include "random/bernoulli.h"

namespace dppl {

// Integers with Pr[x] ∝ exp(−|x|/scale), exactly (Canonne, Kamath & Steinke 2020, algorithm 2).
class DiscreteLaplace {
 public:
  // Throws InvalidInput unless scale > 0 with numerator and denominator below 2^62.
  explicit DiscreteLaplace(const Rational& scale);

  int64_t operator()(Random& random) const;

 private:
  uint64_t numerator_, denominator_;
  BernoulliExp part_;   // Bernoulli(exp(−n/numerator))
  BernoulliExp whole_;  // Bernoulli(exp(−n))
};

}  // namespace dppl
