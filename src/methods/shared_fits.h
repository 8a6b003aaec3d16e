#pragma once

#include <memory>
#include <vector>

#include "dppl/fit.h"
#include "tuning/pool_cache.h"

namespace dppl {

// What many fits may share; for experiments.
struct SharedFits {
  // With the same pool: transforms, priors, the tuner. Nothing in it is private.
  std::shared_ptr<PoolCache> pool = {};
  // With the same records, pool, transform and clip range: the scores of each class that a fit has computed, −1 where
  // it has not. They are as private as the records, so that only seeded fits take them.
  std::shared_ptr<std::vector<std::vector<int64_t>>> scores = {};
  // Whether a model is told how sure it may be (estimation/confidence.h), of no use to who looks at releases alone.
  bool confidence = true;
};

// The same as the public ones, with something to share.
FitPlan plan_fit(const PrivateData& data, const std::optional<PublicData>& pool, const FitOptions& options,
                 const BudgetSpec& budget, const SharedFits& shared);

}  // namespace dppl
