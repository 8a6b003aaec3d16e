#include "methods/choose.h"

#include <fmt/format.h>

#include "dppl/error.h"
#include "methods/choice_cache.h"

namespace dppl {
namespace {

// Changes whenever the tuner's choices do.
constexpr int kTuningVersion = 14;

// A cache is anybody's: what it says is taken only where it could have been chosen and would be accepted.
std::optional<Settings> usable_cached(const std::string& question, const PublicData& pool, const BudgetSpec& budget,
                                      const TuneOptions& options, const ChoiceCache& cache) {
  const std::optional<Settings> known = cached_choice(cache, question);
  if (!known || !(options.method.empty() || options.method == method_name(*known))) return std::nullopt;
  try {
    check(*known, budget, pool.dim(), pool, options.threads);
  } catch (const InvalidInput&) {
    return std::nullopt;
  }
  return known;
}

}  // namespace

Settings choose(PoolCache& pool, const BudgetSpec& budget, TuneOptions options, const ChoiceCache& cache) {
  options.threads = pool.threads();
  const std::string question = fmt::format(
      "tuning {}; pool {}; {}; {} classes; {} records; ratio {}; {} {}", kTuningVersion, pool.rows().digest(),
      budget.describe(), options.classes, options.records, options.ratio,
      options.method.empty() ? "auto" : options.method, options.transform ? options.transform->to_string() : "auto");
  return pool.chosen(question, [&] {
    if (auto known = usable_cached(question, pool.rows(), budget, options, cache)) return *known;
    const Settings best = pool.tuner(options)->tune(budget, options.records, options.ratio).best();
    cache_choice(cache, question, best);
    return best;
  });
}

Settings choose(const PublicData& pool, const BudgetSpec& budget, const TuneOptions& options,
                const ChoiceCache& cache) {
  PoolCache own(pool, options.threads);
  return choose(own, budget, options, cache);
}

}  // namespace dppl
