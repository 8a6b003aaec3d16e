#pragma once

#include "dppl/fit.h"
#include "embeddings/private_access.h"

namespace dppl {

// What every method gets, and what it returns: its part of the model and what it spent. A new method is a function of
// this shape in a file of its own and a line in fit.cc.
struct FitInput {
  const PrivateAccess& access;
  size_t classes;
  const PublicData* pool;  // null where none was given
  const PublicTransform& transform;
  const Hyperparameters& hyperparameters;
  unsigned threads;
  const std::function<void(double)>& progress;
  // As in FitOptions; null: nothing is shared.
  PoolMemory* memory = nullptr;
  std::vector<std::vector<int64_t>>* scores = nullptr;
};

struct Prototypes {
  std::vector<float> values;  // classes × per_class × output_dim
  size_t per_class = 1;
  Guarantee guarantee;

  std::vector<int64_t> sums, counts;
  double unit = 0;
  Rational noise_variance = 0;
  std::vector<uint64_t> pool_indices;
};

Prototypes fit_noisy_sum(const FitInput& input, Budget budget, Random& random);
Prototypes fit_naive_mean(const FitInput& input, Budget budget, Random& random);
Prototypes fit_coinpress(const FitInput& input, Budget budget, Random& random);
Prototypes fit_public(const FitInput& input, Budget budget, Random& random);

}  // namespace dppl
