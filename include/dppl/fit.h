#pragma once

#include <functional>
#include <optional>

#include "dppl/model.h"
#include "dppl/random.h"

namespace dppl {

struct FitOptions {
  Hyperparameters hyperparameters;
  unsigned threads = kDefaultThreads;
  // Called from time to time on long work with a fraction between 0 and 1.
  std::function<void(double)> progress;
};

// `automatic` resolved from public information only: the budget, whether there is a pool, and its dimension.
Hyperparameters resolve(const Hyperparameters& wanted, const BudgetSpec& budget, const PublicData* pool);

// What fit() will spend of such a budget; to reserve it before any private value is read. Refuses what cannot work: a pure budget
// for Gaussian noise, a relation that the method's proof does not cover, hyperparameters out of range.
Guarantee price(const Hyperparameters& resolved, const BudgetSpec& budget);

// Prototypes for every declared class, with or without records. The guarantee of the result is that of price().
Model fit(const PrivateData& data, const PublicData* pool, const FitOptions& options, Budget budget, Random& random);

}  // namespace dppl
