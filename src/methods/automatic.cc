#include "methods/automatic.h"

#include "estimation/class_size_estimate.h"
#include "mechanisms/laplace_noise.h"
#include "methods/choose.h"
#include "methods/method.h"
#include "methods/release.h"
#include "random/discrete_gaussian.h"
#include "random/discrete_laplace.h"
#include "rows/small_rows.h"
#include "statistics/class_counts/class_counts.h"
#include "tuning/constants.h"

namespace dppl {
namespace {

Settings plain_method(const BudgetSpec& budget, const TransformSpec& transform) {
  if (budget.notion == Notion::pure) return PublicSettings{.transform = transform};
  return MeanSettings{.transform = transform};
}

TuneOptions tuning_for(const ClassSizeEstimate& sizes, const AutoSettings& settings, size_t classes) {
  return {.classes = classes,
          .records = sizes.records,
          .ratio = sizes.ratio,
          .transform = settings.transform == TransformSpec{} ? std::nullopt : std::optional(settings.transform)};
}

}  // namespace

Settings resolve_plain(const AutoSettings& settings, const BudgetSpec& budget, const std::optional<PublicData>& pool) {
  if (budget.notion == Notion::pure && !pool) {
    throw InvalidSetting("method",
                         "auto needs a public pool for a pure budget (Gaussian noise has no pure guarantee); or give a "
                         "budget in zCDP, or a δ as well");
  }
  const bool simple = !pool || settings.transform.window > 1;
  if (!simple && pool->size() >= kSmallestPoolToTune) return settings;
  return plain_method(budget, settings.transform);
}

Guarantee price_of_choice(const BudgetSpec& spec) {
  const Budget budget = Budget::unledgered(spec);
  if (spec.notion == Notion::pure) {
    check_drawable(spec, [&] { DiscreteLaplace(laplace_scale(1, kSizeShare * spec.amount)); });
    return Guarantee::pure(spec.amount);
  }
  // The most that the tuner's choices ask for, with room.
  const Rational least = budget.rho() * (1 - kSizeShare) / 1000;
  constexpr int64_t kProducts = kSmallRadius * kSmallRadius;
  check_drawable(spec, [&] { DiscreteGaussian(gaussian_variance(NormBound::added(kProducts).squared, least)); });
  return Guarantee::zcdp(budget.rho(), spec.relation);
}

AutoChoice prepare_choice(const AutoSettings& settings, PoolCache& pool, size_t classes, const BudgetSpec& budget,
                          const ChoiceCache& cache) {
  try {
    pool.tuner(tuning_for({}, settings, classes));
    if (settings.records == 0) return {};
    return {choose(pool, budget, tuning_for({.records = settings.records, .ratio = 0}, settings, classes), cache), {}};
  } catch (const InvalidInput& error) {
    return {plain_method(budget, settings.transform), error.what()};
  }
}

NoisySizes buy_class_sizes(const PrivateData& data, Budget budget, Random& random) {
  const size_t classes = data.classes().size();
  BoundedSum counts = class_counts(PrivateAccess(data).labels(), classes);
  const NoisyClasses released = release_class_counts(counts, std::move(budget), FitStreams(random, classes));
  return {std::move(counts.values), released.variance.get_d(), released.guarantee};
}

Settings choose_for(const NoisySizes& sizes, const AutoSettings& settings, PoolCache& pool, const BudgetSpec& budget,
                    const ChoiceCache& cache) {
  return choose(pool, budget,
                tuning_for(estimate_class_sizes(sizes.values, sizes.variance), settings, sizes.values.size()), cache);
}

}  // namespace dppl
