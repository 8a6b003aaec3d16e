#include <cmath>

#include "dppl/mechanisms.h"
#include "estimation/centre.h"
#include "estimation/class_size_estimate.h"
#include "estimation/confidence.h"
#include "estimation/constants.h"
#include "estimation/known_directions.h"
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
#include "statistics/weighted_total/weighted_total.h"

// DPPL-Mean: per class the noisy integer sum of its records (add/remove). Cosine needs only the direction of the sum,
// so no count is released for it. A centre, a second moment or gradient steps take shares of the budget.
namespace dppl {
namespace {

constexpr double kUnit = 1 / static_cast<double>(kRadius);

class MeanFit {
 public:
  MeanFit(const MeanSettings& settings, const FitInput& input, const Random& random)
      : settings_(settings),
        input_(input),
        transform_(input.records.transform),
        records_{input.records.access, input.records.classes, transform_, input.records.threads,
                 input.records.class_sizes},
        streams_(random, records_.classes) {}

  Prototypes run(Budget budget) {
    const Rational center = settings_.center_share, extra = settings_.extra_share();
    if (center > 0 || extra > 0) budget = Budget::to_zcdp(std::move(budget));
    if (center > 0) {
      sizes_ = input_.sizes;
      if (!sizes_) buy_sizes(budget);
      move_centre(take(budget, center));
    }
    std::optional<Budget> for_extra;
    if (extra > 0) for_extra = take(budget, extra / (1 - center));
    // One pass over the records, whatever is computed of them.
    std::optional<SmallRows> rows;
    if (for_extra) rows.emplace(records_.size(), records_.dim());
    BoundedSum sums = rows ? class_sums(records_, *rows) : class_sums(records_);

    std::optional<NoisySecondMoment> moment;
    if (settings_.metric() != nullptr) moment = release_moment(*rows, std::move(*for_extra));
    release_sums(sums, std::move(budget));

    if (settings_.gradient_steps() != nullptr) {
      refine(*rows, std::move(*for_extra));
    } else if (moment) {
      const std::vector<double> means = settings_.shrinkage ? shrunk().means : sums_in_units();
      result_.values = metric_prototypes(means, metric_of(*moment));
    } else if (settings_.shrinkage) {
      const Posterior means = shrunk();
      const std::vector<double> compared = compared_whiter(means.means, prior().variances);
      result_.values.assign(compared.begin(), compared.end());
      state_confidence(means, kDefaultScoreScale);
    } else {
      result_.values = unit_prototypes(sums_in_units(), records_.classes);
    }
    result_.guarantee = *spent_;
    return std::move(result_);
  }

 private:
  // A share of what is left, taken off it.
  static Budget take(Budget& whole, const Rational& share) {
    std::vector<Budget> parts = Budget::split(std::move(whole), std::vector<Rational>{share, 1 - share});
    whole = std::move(parts[1]);
    return std::move(parts[0]);
  }
  void spend(const Guarantee& cost) { spent_ = spent_ ? compose(*spent_, cost) : cost; }

  void buy_sizes(Budget& budget) {
    sizes_ = release_class_sizes(records_.access, records_.classes, take(budget, kSizeShare), streams_);
    input_.tell_released("class sizes", sizes_->values, sizes_->variance);
    result_.size_share = kSizeShare;
    spend(sizes_->guarantee);
  }

  // From here on, rows are centred on the classes' own centre.
  void move_centre(Budget budget) {
    const std::vector<double> sizes = estimate_class_sizes(sizes_->values, sizes_->variance);
    const std::vector<int64_t> weights = centre_weights(sizes, kFullWeight);
    const double clip = prior().row_length, unit = clip * kUnit;
    const BoundedSum exact = weighted_total(records_, weights, clip);
    Random stream = streams_.centre();
    const auto released = noisy_sum(std::move(budget), stream, {.values = exact.values, .bound = exact.bound});
    const double variance = released.value.variance.get_d();
    input_.tell_released("centre", released.value.values, variance);
    spend(released.guarantee);

    NoisyTotal total{{}, std::sqrt(variance) * unit};
    for (const int64_t value : released.value.values) total.values.push_back(static_cast<double>(value) * unit);
    double records = 0;
    for (size_t c = 0; c < sizes.size(); ++c) {
      records += sizes[c] * static_cast<double>(weights[c]) / static_cast<double>(kFullWeight);
    }
    transform_ = transform_.moved_by(centre_of(total, records, prior().variances, clip));
    result_.transform = transform_;
  }

  void release_sums(BoundedSum& sums, Budget budget) {
    const NoisyClasses released =
        release_class_sums(sums, records_.classes, std::move(budget), streams_, records_.threads);
    input_.tell_released("class sums", sums.values, released.variance.get_d());
    result_.sums = std::move(sums.values);
    result_.unit = kUnit;
    result_.noise_variance = released.variance;
    spend(released.guarantee);
  }

  NoisySecondMoment release_moment(const SmallRows& rows, Budget budget) {
    const BoundedSum exact = second_moment(rows, records_.access, records_.threads);
    Random stream = streams_.second_moment();
    const auto released = noisy_sum(std::move(budget), stream, {.values = exact.values, .bound = exact.bound});
    const double variance = released.value.variance.get_d();
    input_.tell_released("second moment", released.value.values, variance);
    spend(released.guarantee);
    return NoisySecondMoment::of(released.value.values, rows.dim(), static_cast<double>(kSecondMomentOne), variance);
  }

  std::vector<double> sums_in_units() const {
    std::vector<double> sums(result_.sums.size());
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<double>(result_.sums[i]) * kUnit;
    return sums;
  }

  // Of the pool in its own space: class means are expected to lie around the records' centre as public rows lie around
  // theirs.
  const PoolPrior& prior() {
    if (!prior_) {
      const PublicTransform& transform = input_.records.transform;
      prior_ = input_.shared.pool
                   ? input_.shared.pool->prior(transform)
                   : std::make_shared<const PoolPrior>(PoolPrior::of(*input_.pool, transform, records_.threads));
    }
    return *prior_;
  }

  Posterior shrunk() {
    const double sigma = std::sqrt(result_.noise_variance.get_d()) * kUnit;
    std::vector<double> known;
    const double prior_variance = settings_.shrinkage->prior_variance.get_d();
    if (input_.options.knowledge) {
      known = known_directions(*input_.options.knowledge, transform_).expected_means(prior_variance);
    }
    return posterior(sums_in_units(), sigma, prior(), prior_variance, records_.threads, known);
  }

  // Every step is computed from those before it and from the sums.
  void refine(const SmallRows& rows, Budget budget) {
    const GradientSteps& how = *settings_.gradient_steps();
    const double sigma = gradient_sigma(budget.rho().get_d(), how.steps);
    const Posterior start = shrunk();
    Refinement refinement(start, prior().variances, {.rate = how.rate.get_d(), .steps = how.steps}, sigma);
    std::vector<Budget> parts =
        Budget::split(std::move(budget), std::vector<Rational>(how.steps, Rational(1, how.steps)));
    const GradientSums gradients(rows, records_.access, records_.threads);
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
      spend(released.guarantee);
      if (input_.options.progress) {
        input_.options.progress(static_cast<double>(t + 1) / static_cast<double>(how.steps));
      }
    }
    result_.values = refinement.prototypes(how.tau.get_d());
    state_confidence(start, 1);  // softmax regression states probabilities
  }

  void state_confidence(const Posterior& means, double scale) {
    if (!input_.shared.confidence) return;
    const double prior_variance = settings_.shrinkage->prior_variance.get_d();
    result_.score_scale = scale * confidence(result_.values, scale, means, prior(), prior_variance, records_.threads);
  }

  const MeanSettings& settings_;
  const FitInput& input_;
  PublicTransform transform_;
  Records records_;
  FitStreams streams_;
  std::optional<NoisySizes> sizes_;
  std::shared_ptr<const PoolPrior> prior_;
  std::optional<Guarantee> spent_;
  Prototypes result_;
};

}  // namespace

Guarantee price_of(const MeanSettings& settings, const BudgetSpec& spec) {
  if (settings.shrinkage && settings.shrinkage->lift > 0) {
    throw InvalidSetting("lift", "is a setting of older models; fits have no lift any more: leave it out");
  }
  Rational rho = Budget::unledgered(spec).rho();
  const Rational whole = rho;
  const auto check = [&](int64_t radius, const Rational& part) {
    check_drawable(spec, [&] { DiscreteGaussian(gaussian_variance(NormBound::added(radius).squared, part)); });
  };
  if (settings.center_share > 0) {
    check(1, rho * kSizeShare);
    rho *= 1 - kSizeShare;  // unless sizes were bought before
    check(kRadius, rho * settings.center_share);
  }
  check(kRadius, rho * (1 - settings.center_share - settings.extra_share()));
  constexpr int64_t kProducts = kSmallRadius * kSmallRadius;
  if (const auto* metric = settings.metric()) check(kProducts, rho * metric->share);
  if (const auto* steps = settings.gradient_steps()) check(kProducts, rho * steps->share / Rational(steps->steps));
  return Guarantee::zcdp(whole, spec.relation);
}

bool uses_pool(const MeanSettings& settings, const std::optional<PublicData>& pool) {
  if (settings.shrinkage && !pool) throw InvalidSetting("shrink", "shrinks to a public pool; give one");
  if (settings.center_share > 0 && !pool)
    throw InvalidSetting("center-share", "moves the centre of a public pool; give one");
  return settings.shrinkage.has_value() || settings.center_share > 0;
}

Prototypes fit_prototypes(const MeanSettings& settings, const FitInput& input, CheckedBudget budget, Random& random) {
  return MeanFit(settings, input, random).run(std::move(budget).take());
}

}  // namespace dppl
