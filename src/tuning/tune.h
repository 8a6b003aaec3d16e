#pragma once

#include "dppl/tune.h"
#include "tuning/pool_cache.h"

namespace dppl {

// tune() with what other choices on this pool have computed.
Tuning tune(PoolCache& pool, const BudgetSpec& budget, const TuneOptions& options);

}  // namespace dppl
