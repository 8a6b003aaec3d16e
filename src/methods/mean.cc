#include <cmath>

#include "dppl/mechanisms.h"
#include "estimation/metric.h"
#include "estimation/prototype_scaling.h"
#include "estimation/refinement.h"
#include "methods/method.h"
#include "methods/release.h"
#include "random/discrete_gaussian.h"
#include "rows/integer_row.h"
#include "statistics/class_sums/class_sums.h"
#include "statistics/gradient_sum/gradient_sum.h"
#include "statistics/second_moment/second_moment.h"

// DPPL-Mean: per class the noisy integer sum of its records (add/remove). Cosine needs only the direction of the sum,
// so no count is released. A second moment or gradient steps take a share of the budget.
namespace dppl {
namespace {

constexpr double kUnit = 1 / static_cast<double>(kRadius);

Rational share_of_extra(const MeanSettings& settings) {
  if (const auto* metric = settings.metric()) return metric->share;
  if (const auto* steps = settings.gradient_steps()) return steps->share;
  return 0;
}

class MeanFit {
 public:
  MeanFit(const MeanSettings& settings, const FitInput& input, const Random& random)
      : settings_(settings), input_(input), records_(input.records), streams_(random, records_.classes) {}

  Prototypes run(Budget budget) {
    std::optional<Budget> for_extra;
    if (const Rational share = share_of_extra(settings_); share > 0) {
      std::vector<Budget> parts =
          Budget::split(Budget::to_zcdp(std::move(budget)), std::vector<Rational>{share, 1 - share});
      for_extra = std::move(parts[0]);
      budget = std::move(parts[1]);
    }
    // One pass over the records, whatever is computed of them.
    std::optional<SmallRows> rows;
    if (for_extra) rows.emplace(records_.size(), records_.dim());
    BoundedSum sums = rows ? class_sums(records_, *rows) : class_sums(records_);

    std::optional<NoisySecondMoment> moment;
    std::optional<Guarantee> extra;
    if (settings_.metric() != nullptr) {
      auto released = release_moment(*rows, std::move(*for_extra));
      moment = std::move(released.value);
      extra = released.guarantee;
    }
    release_sums(sums, std::move(budget));
    if (extra) result_.guarantee = compose(result_.guarantee, *extra);

    if (settings_.gradient_steps() != nullptr) {
      refine(*rows, std::move(*for_extra));
    } else {
      const auto metric = moment ? std::optional(metric_of(*moment)) : std::nullopt;
      const double lift = settings_.shrinkage ? settings_.shrinkage->lift.get_d() : 0;
      result_.values = scale_prototypes(settings_.shrinkage ? shrunk().means : sums_in_units(), records_.classes, lift,
                                        metric ? &*metric : nullptr);
    }
    return std::move(result_);
  }

 private:
  void release_sums(BoundedSum& sums, Budget budget) {
    const NoisyClasses released =
        release_class_sums(sums, records_.classes, std::move(budget), streams_, records_.threads);
    input_.tell_released("class sums", sums.values, released.variance.get_d());
    result_.sums = std::move(sums.values);
    result_.unit = kUnit;
    result_.noise_variance = released.variance;
    result_.guarantee = released.guarantee;
  }

  Released<NoisySecondMoment> release_moment(const SmallRows& rows, Budget budget) {
    const BoundedSum exact = second_moment(rows, records_.threads);
    Random stream = streams_.second_moment();
    const auto released = noisy_sum(std::move(budget), stream, {.values = exact.values, .bound = exact.bound});
    const double variance = released.value.variance.get_d();
    input_.tell_released("second moment", released.value.values, variance);
    return {NoisySecondMoment::of(released.value.values, rows.dim(), static_cast<double>(kSecondMomentOne), variance),
            released.guarantee};
  }

  std::vector<double> sums_in_units() const {
    std::vector<double> sums(result_.sums.size());
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<double>(result_.sums[i]) * kUnit;
    return sums;
  }

  Posterior shrunk() const {
    const double sigma = std::sqrt(result_.noise_variance.get_d()) * kUnit;
    const auto prior =
        input_.shared.pool
            ? input_.shared.pool->prior(records_.transform)
            : std::make_shared<const PoolPrior>(PoolPrior::of(*input_.pool, records_.transform, records_.threads));
    return posterior(sums_in_units(), sigma, *prior, settings_.shrinkage->prior_variance.get_d(), records_.threads);
  }

  // Every step is computed from those before it and from the sums.
  void refine(const SmallRows& rows, Budget budget) {
    const GradientSteps& how = *settings_.gradient_steps();
    const double sigma = gradient_sigma(budget.rho().get_d(), how.steps);
    Refinement refinement(
        shrunk(), {.lift = settings_.shrinkage->lift.get_d(), .rate = how.rate.get_d(), .steps = how.steps}, sigma);
    std::vector<Budget> parts =
        Budget::split(std::move(budget), std::vector<Rational>(how.steps, Rational(1, how.steps)));
    const GradientSums gradients(rows, records_.labels(), records_.threads);
    std::optional<Guarantee> total;
    for (unsigned t = 0; t < how.steps; ++t) {
      const BoundedSum exact = gradients.at({refinement.weights(), refinement.offsets()});
      Random stream = streams_.gradient(t);
      const auto released = noisy_sum(std::move(parts[t]), stream, {.values = exact.values, .bound = exact.bound});
      input_.tell_released("gradient", released.value.values, released.value.variance.get_d());
      std::vector<double> gradient;
      for (const int64_t value : released.value.values) {
        gradient.push_back(static_cast<double>(value) * kGradientUnit);
      }
      refinement.step(gradient);
      total = total ? compose(*total, released.guarantee) : released.guarantee;
      if (input_.options.progress) {
        input_.options.progress(static_cast<double>(t + 1) / static_cast<double>(how.steps));
      }
    }
    result_.guarantee = compose(result_.guarantee, *total);
    result_.values = refinement.prototypes(how.balance.get_d());
  }

  const MeanSettings& settings_;
  const FitInput& input_;
  const Records& records_;
  FitStreams streams_;
  Prototypes result_;
};

}  // namespace

Guarantee price_of(const MeanSettings& settings, const BudgetSpec& spec) {
  const Rational rho = Budget::unledgered(spec).rho();
  const auto check = [&](int64_t radius, const Rational& part) {
    check_drawable(spec, [&] { DiscreteGaussian(gaussian_variance(NormBound::added(radius).squared, part)); });
  };
  check(kRadius, rho * (1 - share_of_extra(settings)));
  constexpr int64_t kProducts = kSmallRadius * kSmallRadius;
  if (const auto* metric = settings.metric()) check(kProducts, rho * metric->share);
  if (const auto* steps = settings.gradient_steps()) check(kProducts, rho * steps->share / Rational(steps->steps));
  return Guarantee::zcdp(rho, spec.relation);
}

bool uses_pool(const MeanSettings& settings, const std::optional<PublicData>& pool) {
  if (settings.shrinkage && !pool) throw InvalidSetting("shrink", "shrinks to a public pool; give one");
  return settings.shrinkage.has_value();
}

Prototypes fit_prototypes(const MeanSettings& settings, const FitInput& input, AddRemoveBudget budget, Random& random) {
  return MeanFit(settings, input, random).run(std::move(budget).take());
}

}  // namespace dppl
