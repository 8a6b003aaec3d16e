#pragma once

#include "dppl/fit.h"
#include "tuning/pool_cache.h"

// `auto`: chooses a method and its settings from public information and noisy class sizes.
namespace dppl {

// Resolved where nothing can be chosen: without a pool, or with one that is too small.
Settings resolve_plain(const AutoSettings& settings, const BudgetSpec& budget, const std::optional<PublicData>& pool);
// The method of that budget, with nothing chosen.
Settings plain_method(const AutoSettings& settings, const BudgetSpec& budget);
// The price of everything that may be chosen. Throws where its noise could not be drawn.
Guarantee price_of_choice(const BudgetSpec& budget);

// A function of released and public values: sizes of all classes, estimated or declared.
Settings choose_for(std::vector<double> sizes, const AutoSettings& settings, PoolCache& pool, const BudgetSpec& budget,
                    const FitOptions& options);

}  // namespace dppl
