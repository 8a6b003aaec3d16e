#pragma once

#include "dppl/fit.h"
#include "tuning/pool_cache.h"

namespace dppl {

// choose() with what other choices on this pool have computed.
Settings choose(PoolCache& pool, const BudgetSpec& budget, TuneOptions options, const ChoiceCache& cache);

}  // namespace dppl
