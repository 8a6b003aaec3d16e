#pragma once

#include "dppl/tune.h"
#include "estimation/pool_posterior.h"
#include "tuning/pseudo_classes.h"

// Fits on pseudo-classes, in floating point: what is simulated is public, so nothing has to be exact.
namespace dppl {

// A data set drawn from the pseudo-classes: how often each training row is in it, and the size of every class.
struct PseudoData {
  std::vector<uint32_t> times;
  std::vector<uint64_t> sizes;
  uint64_t seed;
  bool long_tailed;  // the smaller classes are a minority
};
PseudoData draw(const PseudoClasses& classes, uint64_t records, double ratio, uint64_t seed);

struct Accuracy {
  double balanced = 0, minority = 0;
};
// prototypes: classes × per_class × dim. A row's score with a class is its mean inner product with its prototypes.
Accuracy test(const PseudoClasses& classes, const PseudoClasses::Rows& rows, std::span<const float> prototypes,
              size_t per_class, std::span<const uint64_t> sizes);

// Adds to every trial's accuracies (in the order of `trials`) what it reaches on the data; to the minority's only where
// there is one. All trials have the transform of `rows`.
void simulate_sums(const PseudoClasses& classes, const PseudoClasses::Rows& rows, const PoolPrior& prior,
                   const PseudoData& data, double rho, unsigned threads, std::span<Trial*> trials);
// As above, for trials with refinement.
void simulate_refined(const PseudoClasses& classes, const PseudoClasses::Rows& rows, const PoolPrior& prior,
                      const PseudoData& data, double rho, unsigned threads, std::span<Trial*> trials);
void simulate_selection(const PseudoClasses& classes, const PseudoClasses::Rows& rows, const PseudoData& data,
                        double epsilon, unsigned threads, std::span<Trial*> trials);

// Public quantiles of the cosine between rows of the pool, rounded to three digits.
Rational cosine_quantile(const PseudoClasses::Rows& rows, double quantile);

}  // namespace dppl
