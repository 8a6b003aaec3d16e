#include "methods/automatic.h"

#include "mechanisms/laplace_noise.h"
#include "methods/method.h"
#include "random/discrete_gaussian.h"
#include "random/discrete_laplace.h"
#include "rows/small_rows.h"
#include "tuning/constants.h"
#include "tuning/tune.h"

namespace dppl {

Settings resolve_plain(const AutoSettings& settings, const BudgetSpec& budget, const std::optional<PublicData>& pool) {
  if (budget.notion == Notion::pure && !pool) {
    throw InvalidSetting("method",
                         "auto needs a public pool for a pure budget (Gaussian noise has no pure guarantee); or give a "
                         "budget in zCDP, or a δ as well");
  }
  const bool simple = !pool || settings.transform.window > 1;
  if (!simple && pool->size() >= kSmallestPool) return settings;
  return plain_method(settings, budget);
}

Settings plain_method(const AutoSettings& settings, const BudgetSpec& budget) {
  if (budget.notion == Notion::pure) {
    return PublicSettings{.transform = settings.transform, .person_split = settings.person_split};
  }
  return MeanSettings{.transform = settings.transform, .person_split = settings.person_split};
}

Guarantee price_of_choice(const BudgetSpec& spec) {
  const Budget budget = Budget::unledgered(spec);
  if (spec.notion == Notion::pure) {
    check_drawable(spec, [&] { DiscreteLaplace(laplace_scale(1, kSizeShare * spec.amount)); });
    return Guarantee::pure(spec.amount, spec.relation);
  }
  // The most that a choice asks for, with room.
  const Rational least = budget.rho() * (1 - kSizeShare) / 1000;
  constexpr int64_t kProducts = kSmallRadius * kSmallRadius;
  check_drawable(spec, [&] { DiscreteGaussian(gaussian_variance(NormBound::added(kProducts).squared, least)); });
  return Guarantee::zcdp(budget.rho(), spec.relation);
}

Settings choose_for(std::vector<double> sizes, const AutoSettings& settings, PoolCache& pool, const BudgetSpec& budget,
                    const FitOptions& options) {
  const TuneOptions tuning{
      .sizes = std::move(sizes),
      .transform = settings.transform == TransformSpec{} ? std::nullopt : std::optional(settings.transform),
      .examples = options.knowledge ? options.knowledge->size() : 0,
      .threads = options.threads};
  return with_person_split(tune(pool, budget, tuning).settings, settings.person_split);
}

}  // namespace dppl
