#pragma once

#include "dppl/fit.h"
#include "tuning/pool_cache.h"

// `auto`: chooses a method and its settings from public information and noisy class sizes.
namespace dppl {

// Resolved where tuning is not possible: without a pool, or with one too small to tune on.
Settings resolve_plain(const AutoSettings& settings, const BudgetSpec& budget, const std::optional<PublicData>& pool);
// The price of everything that may be chosen. Throws where its noise could not be drawn.
Guarantee price_of_choice(const BudgetSpec& budget);

// Whatever could fail after noisy sizes are bought is tried here, while it costs nothing: a tuner that can be made can
// tune, and the transforms that it chooses among can be computed.
struct AutoChoice {
  std::optional<Settings> settings;  // empty: waits for noisy class sizes
  std::string untuned_because;
};
AutoChoice prepare_choice(const AutoSettings& settings, PoolCache& pool, size_t classes, const BudgetSpec& budget,
                          const ChoiceCache& cache);

struct NoisySizes {
  std::vector<int64_t> values;
  double variance;
  Guarantee guarantee;
};
NoisySizes buy_class_sizes(const PrivateData& data, Budget budget, Random& random);

// A function of released and public values.
Settings choose_for(const NoisySizes& sizes, const AutoSettings& settings, PoolCache& pool, const BudgetSpec& budget,
                    const ChoiceCache& cache);

}  // namespace dppl
