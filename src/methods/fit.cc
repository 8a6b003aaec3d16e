#include "dppl/fit.h"

#include <fmt/format.h>

#include <cmath>

#include "dppl/error.h"
#include "dppl/mechanisms.h"
#include "dppl/tune.h"
#include "mechanisms/laplace_noise.h"
#include "methods/method.h"
#include "random/discrete_gaussian.h"
#include "random/discrete_laplace.h"
#include "rows/integer_row.h"
#include "rows/small_rows.h"
#include "statistics/class_counts/class_sizes.h"
#include "statistics/pair_scores/pair_scores.h"
#include "tuning/pool_cache.h"

namespace dppl {
namespace {

// Fewer rows make no groups to tune on.
constexpr size_t kSmallestPoolToTune = 1000;

bool selects(Method method) { return method == Method::public_one || method == Method::public_k; }

void check_selection(const Hyperparameters& hp) {
  if (hp.clip_min < 0 || hp.clip_max > 2 || hp.clip_min >= hp.clip_max) {
    throw InvalidInput(
        fmt::format("--clip-min {} --clip-max {}: 1 + cosine lies between 0 and 2, and the range must not be empty",
                    to_string(hp.clip_min), to_string(hp.clip_max)));
  }
  // Closer limits would be the same float.
  if (hp.clip_max - hp.clip_min < Rational(1, 1000000))
    throw InvalidInput("--clip-min and --clip-max: must be at least 1e-6 apart");
  if (hp.k == 0) throw InvalidInput("--k: must be at least 1");
  if (hp.distance != Distance::cosine)
    throw InvalidInput("--distance euclidean: is for --method mean; public prototypes are compared by cosine");
  if (hp.method == Method::public_k && hp.selection != Selection::exponential) {
    throw InvalidInput(
        fmt::format("--mechanism {}: chooses one prototype; --method public-k uses the exponential mechanism on sets",
                    to_string(hp.selection)));
  }
  if (hp.norm) throw InvalidInput("--norm: is for --method mean; cosines do not depend on the length of rows");
}

void check_refinement(const Hyperparameters& hp) {
  constexpr unsigned kMostSteps = 1000;
  if (hp.refine_steps == 0) {
    if (hp.refine_share != 0 || hp.balance != 0) {
      throw InvalidInput("--refine-share and --balance: go with --refine-steps");
    }
    return;
  }
  if (hp.refine_steps > kMostSteps) {
    throw InvalidInput(fmt::format("--refine-steps: {} are too many; at most {}", hp.refine_steps, kMostSteps));
  }
  if (hp.refine_share <= 0 || hp.refine_share >= 1) {
    throw InvalidInput(fmt::format("--refine-share: {} must lie between 0 and 1", to_string(hp.refine_share)));
  }
  if (hp.refine_rate <= 0 || hp.refine_rate > 1000 || hp.balance < 0 || hp.balance > 1) {
    throw InvalidInput(fmt::format("--refine-rate {} --balance {}: must lie in (0, 1000] and [0, 1]",
                                   to_string(hp.refine_rate), to_string(hp.balance)));
  }
  if (!hp.shrink || hp.metric_share > 0) {
    throw InvalidInput("--refine-steps: starts at prototypes of --shrink on, without --metric-share");
  }
}

// What is made of noisy sums.
void check_shape(const Hyperparameters& hp) {
  if (hp.metric_share < 0 || hp.metric_share >= 1) {
    throw InvalidInput(fmt::format("--metric-share: {} must be at least 0 and below 1", to_string(hp.metric_share)));
  }
  if (hp.spread <= 0 || hp.spread > 100 || hp.lift < 0 || hp.lift > 1) {
    throw InvalidInput(fmt::format("--spread {} --lift {}: must lie in (0, 100] and [0, 1]", to_string(hp.spread),
                                   to_string(hp.lift)));
  }
  if (hp.lift > 0 && !hp.shrink) throw InvalidInput("--lift: goes with --shrink on");
  check_refinement(hp);
  const bool shaped = hp.shrink || hp.metric_share > 0;
  if (shaped && (hp.estimator != Estimator::noisy_sum || hp.distance == Distance::euclidean || hp.norm)) {
    throw InvalidInput(
        "--shrink and --metric-share: are for --estimator noisy-sum with rows of unit length and cosine");
  }
}

void check_mean(const Hyperparameters& hp, Relation relation) {
  const Rational longest = Rational(mpz_class("1000000000000000000000000000000"));
  if (hp.norm && (*hp.norm * longest < 1 || *hp.norm > longest)) {
    throw InvalidInput("--norm: must lie between 1e-30 and 1e30");
  }
  if (hp.norm && hp.transform.kind != TransformSpec::Kind::raw) {
    throw InvalidInput("--norm: clips rows as they are; it goes with --transform none only");
  }
  if (!hp.norm && hp.transform.kind == TransformSpec::Kind::raw) {
    throw InvalidInput("--transform raw: rows as they are need a clipping radius, --norm");
  }
  if (hp.count_share <= 0 || hp.count_share >= 1) {
    throw InvalidInput(fmt::format("--count-share: {} must lie between 0 and 1", to_string(hp.count_share)));
  }
  const bool replaces = relation == Relation::replace_in_class;
  check_shape(hp);
  if (hp.estimator == Estimator::noisy_sum && replaces) {
    throw InvalidInput(
        "--estimator noisy-sum: its proof is for --neighbours add-remove; for replace-in-class use naive or coinpress");
  }
  if (hp.estimator != Estimator::noisy_sum && !replaces) {
    throw InvalidInput(fmt::format(
        "--estimator {}: takes class counts as public and is private for --neighbours replace-in-class only",
        to_string(hp.estimator)));
  }
  if (hp.estimator == Estimator::coinpress && (hp.coinpress_steps == 0 || hp.coinpress_steps > 20 || hp.norm)) {
    throw InvalidInput("--estimator coinpress: takes 1 to 20 steps and sets its own radii; do not give --norm");
  }
}

// Noise beyond what the samplers draw would be refused when the budget is reserved already.
template <typename Noise>
void check_drawable(const BudgetSpec& spec, const Noise& make_noise) {
  try {
    make_noise();
  } catch (const InvalidInput&) {
    throw InvalidInput(fmt::format(
        "{}: is too small a budget: the noise it asks for is wider than can be drawn; give more", spec.describe()));
  }
}

void check_gaussian(const BudgetSpec& spec, const NormBound& bound, const Rational& rho) {
  check_drawable(spec, [&] { DiscreteGaussian(gaussian_variance(bound.squared, rho)); });
}

// Every part that a fit by sums may have.
void check_mean_noise(const Hyperparameters& hp, const BudgetSpec& spec, const Rational& rho) {
  constexpr int64_t kProducts = kSmallRadius * kSmallRadius;
  if (hp.estimator != Estimator::noisy_sum) {
    // The smallest part of CoinPress's steps has half of the budget over their number.
    check_gaussian(spec, NormBound::replaced(kRadius), rho / Rational(2 * std::max(hp.coinpress_steps, 1u)));
    return;
  }
  const Rational most_share = std::max({hp.metric_share, hp.refine_share, hp.count_share});
  check_gaussian(spec, NormBound::added(kRadius), rho * (1 - most_share));
  if (hp.metric_share > 0) check_gaussian(spec, NormBound::added(kProducts), rho * hp.metric_share);
  if (hp.refine_steps > 0) {
    check_gaussian(spec, NormBound::added(kProducts), rho * hp.refine_share / Rational(hp.refine_steps));
  }
  if (hp.distance == Distance::euclidean) check_gaussian(spec, NormBound::added(1), rho * hp.count_share);
}

void check_selection_noise(const Hyperparameters& hp, const BudgetSpec& spec, const Rational& epsilon) {
  if (hp.selection != Selection::laplace) return;
  const int64_t per_record = ScoreRange::of(hp.clip_min, hp.clip_max).per_record();
  check_drawable(spec, [&] { DiscreteLaplace(laplace_scale(per_record, epsilon)); });
}

// The settings are not known yet: the most that the tuner's choices ask for, with room.
void check_automatic_noise(const BudgetSpec& spec, const Budget& budget) {
  const Rational least = (1 - kSizeShare) / 1000;
  if (spec.notion == Notion::pure) {
    check_drawable(spec, [&] { DiscreteLaplace(laplace_scale(1, kSizeShare * spec.amount)); });
  } else {
    check_gaussian(spec, NormBound::added(kSmallRadius * kSmallRadius), budget.rho() * least);
  }
}

Prototypes fit_prototypes(const FitInput& input, Budget budget, Random& random) {
  if (selects(input.hyperparameters.method)) return fit_public(input, AddRemoveBudget(std::move(budget)), random);
  switch (input.hyperparameters.estimator) {
    case Estimator::noisy_sum:
      return fit_noisy_sum(input, AddRemoveBudget(std::move(budget)), random);
    case Estimator::naive:
      return fit_naive_mean(input, ReplaceInClassBudget(std::move(budget)), random);
    case Estimator::coinpress:
      return fit_coinpress(input, ReplaceInClassBudget(std::move(budget)), random);
  }
  throw InvalidInput("--estimator: not known");
}

void check_pool(const Hyperparameters& hp, size_t dim, const PublicData* pool) {
  if (!selects(hp.method) && !hp.shrink) return;
  if (pool == nullptr) {
    throw InvalidInput(selects(hp.method) ? fmt::format("--method {}: chooses from a public pool; give one with --pool",
                                                        to_string(hp.method))
                                          : "--shrink on: shrinks to a public pool; give one with --pool");
  }
  if (pool->dim() != dim) refuse_dimension(*pool, dim);
  check_stored_transform(*pool, hp.transform);
  if (hp.method == Method::public_k && hp.k > pool->size()) {
    throw InvalidInput(
        fmt::format("--k: {} prototypes from a pool of {} rows; use a smaller K or a larger pool", hp.k, pool->size()));
  }
}

// Whatever a fit spends, it must not be more than what was said, and reserved, before.
void check_spent(const Guarantee& spent, const Guarantee& price) {
  const auto exceeds = [](const std::optional<Rational>& amount, const std::optional<Rational>& most) {
    return most && (!amount || *amount > *most);
  };
  if (spent.relation != price.relation || exceeds(spent.epsilon, price.epsilon) || exceeds(spent.rho, price.rho)) {
    throw Error("fit: it would cost more than its price; no model is made of it");
  }
}

}  // namespace

Hyperparameters resolve(const Hyperparameters& wanted, const BudgetSpec& budget, const PublicData* pool) {
  Hyperparameters hp = wanted;
  if (hp.norm && hp.transform.kind == TransformSpec::Kind::none) hp.transform.kind = TransformSpec::Kind::raw;
  if (pool != nullptr && hp.transform == TransformSpec{}) hp.transform = stored_transform(*pool).value_or(hp.transform);
  if (hp.method == Method::mean && (hp.lift > 0 || hp.metric_share > 0 || hp.refine_steps > 0) &&
      hp.distance == Distance::cosine) {
    hp.distance = Distance::dot;
  }
  if (hp.method != Method::automatic) return hp;
  if (budget.notion == Notion::pure && pool == nullptr) {
    throw InvalidInput(
        "--method auto: a pure budget needs --pool (Gaussian noise has no pure guarantee); or give --rho, or --delta "
        "as well");
  }
  const bool simple = pool == nullptr || budget.relation != Relation::add_remove || hp.norm ||
                      hp.distance == Distance::euclidean || hp.transform.average_pool > 1;
  if (!simple && pool->size() >= kSmallestPoolToTune) return hp;
  hp.method = budget.notion == Notion::pure ? Method::public_one : Method::mean;
  return hp;
}

Guarantee price(const Hyperparameters& resolved, const BudgetSpec& spec) {
  const Budget budget = Budget::unledgered(spec);
  if (resolved.method == Method::automatic) {
    check_automatic_noise(spec, budget);
    return spec.notion == Notion::pure ? Guarantee::pure(spec.amount) : Guarantee::zcdp(budget.rho(), spec.relation);
  }
  if (!selects(resolved.method)) {
    check_mean(resolved, spec.relation);
    check_mean_noise(resolved, spec, budget.rho());
    return Guarantee::zcdp(budget.rho(), spec.relation);
  }
  check_selection(resolved);
  if (spec.relation != Relation::add_remove) {
    throw InvalidInput("--neighbours replace-in-class: is for --method mean; selection is private under add-remove");
  }
  if (resolved.selection == Selection::exponential) {
    return Guarantee::of_bounded_range(budget.bounded_range_epsilon());
  }
  check_selection_noise(resolved, spec, budget.pure_epsilon());
  return Guarantee::pure(budget.pure_epsilon());
}

namespace {

void check_width(const Hyperparameters& hp, const PublicTransform& transform) {
  const bool may_select = selects(hp.method) || hp.method == Method::automatic;
  if (may_select && transform.output_dim() > QuantisedRows::kLargestDim) {
    throw InvalidInput(fmt::format("--method {}: compares rows of at most {} values; use --transform pca:K",
                                   to_string(hp.method), QuantisedRows::kLargestDim));
  }
}

}  // namespace

PublicTransform check(const Hyperparameters& hp, const BudgetSpec& budget, size_t dim, const PublicData* pool,
                      unsigned threads) {
  if (hp.method == Method::automatic) throw InvalidInput("fit: the method is still to be chosen");
  dppl::price(hp, budget);
  check_pool(hp, dim, pool);
  PublicTransform transform = PublicTransform::compute(hp.transform, dim, pool, threads);
  check_width(hp, transform);
  return transform;
}

FitPlan::FitPlan(const PrivateData& data, const PublicData* pool, const FitOptions& options, const BudgetSpec& budget)
    : data_(data),
      pool_(pool),
      options_(options),
      budget_(budget),
      transform_(PublicTransform::restore({}, data.dim(), {}, {})) {
  Hyperparameters& hp = options_.hyperparameters;
  hp = resolve(options.hyperparameters, budget, pool);
  if (hp.method == Method::automatic) {
    if (pool->dim() != data.dim()) refuse_dimension(*pool, data.dim());
    if (hp.transform != TransformSpec{}) check_width(hp, transform_of(hp.transform));
    prepare_choice();
  }
  price_ = dppl::price(hp, budget);
  if (hp.method == Method::automatic) return;
  check_pool(hp, data.dim(), pool);
  transform_ = transform_of(hp.transform);
  check_width(hp, transform_);
}

// Whatever could fail after noisy sizes are bought is tried here, while it costs nothing: a tuner that can be made can
// tune, and the transforms that it chooses among can be computed.
void FitPlan::prepare_choice() {
  Hyperparameters& hp = options_.hyperparameters;
  if (!options_.memory) options_.memory = std::make_shared<PoolMemory>(*pool_, options_.threads);
  try {
    options_.memory->tuner(tuning_for({}));
    if (options_.records > 0) hp = tuned(budget_, {.records = options_.records, .ratio = 0});
  } catch (const InvalidInput& error) {
    untuned_because_ = error.what();
    hp.method = budget_.notion == Notion::pure ? Method::public_one : Method::mean;
  }
}

PublicTransform FitPlan::transform_of(const TransformSpec& spec) const {
  const bool shared = options_.memory && spec.needs_pool();
  PublicTransform transform =
      shared ? options_.memory->transform(spec) : PublicTransform::compute(spec, data_.dim(), pool_, options_.threads);
  // With another dimension, rows would be cut at other places than records end.
  if (transform.input_dim() != data_.dim()) throw Error("fit: what it shares is of another pool");
  return transform;
}

uint64_t FitPlan::model_bytes() const {
  const Hyperparameters& hp = options_.hyperparameters;
  // What is still to be chosen is chosen from this at most.
  const bool open = hp.method == Method::automatic;
  const uint64_t classes = data_.classes().size(), per_class = open ? 5 : hp.method == Method::public_k ? hp.k : 1;
  const uint64_t dim = open ? data_.dim() : transform_.output_dim();
  uint64_t bytes = 4 * (open ? data_.dim() * (dim + 1) : transform_.mean().size() + transform_.basis().size());
  bytes += classes * (per_class * (4 * dim + 8) + 8 * dim + 8);
  for (size_t c = 0; data_.classes().has_names() && c < classes; ++c) bytes += 6 * data_.classes().name(c).size() + 8;
  return bytes + (64 << 10);
}

namespace {

std::vector<int64_t> class_sizes(const PrivateAccess& access, size_t classes) {
  std::vector<int64_t> sizes(classes);
  for (const int64_t label : access.labels()) ++sizes[static_cast<size_t>(label)];
  return sizes;
}

// Of the noise of release_sizes().
double size_variance(const BudgetSpec& spec) {
  const double amount = spec.amount.get_d();
  return spec.notion == Notion::pure ? 2 / (amount * amount) : 1 / (2 * amount);
}

}  // namespace

Model FitPlan::run(Budget budget, Random& random) const {
  if (!(budget.spec() == budget_)) {
    throw InvalidInput(fmt::format("fit: planned for {}, given {}", budget_.describe(), budget.spec().describe()));
  }
  // What is shared between runs has not passed a mechanism.
  if (options_.scores != nullptr && random.is_private()) {
    throw InvalidInput("fit: scores are shared between seeded runs only; leave them out");
  }
  if (options_.hyperparameters.method != Method::automatic)
    return fit_with(options_.hyperparameters, transform_, std::move(budget), random);

  // Which records there are stays hidden; roughly how many, and how unevenly they fall into classes, is worth a
  // hundredth of the budget, because the right settings depend on it. The choice is then a function of the noisy sizes
  // and of public values.
  if (budget.spec().notion != Notion::pure) budget = Budget::to_zcdp(std::move(budget));
  std::vector<Budget> parts = Budget::split(std::move(budget), std::vector<Rational>{kSizeShare, 1 - kSizeShare});
  const size_t classes = data_.classes().size();
  std::vector<int64_t> sizes = class_sizes(PrivateAccess(data_), classes);
  const double variance = size_variance(parts[0].spec());
  // Streams up to 2·classes are the methods'.
  const Guarantee spent = release_sizes(sizes, std::move(parts[0]), random, 2 * classes + 1);
  if (options_.released) options_.released({"class sizes", sizes, variance});
  Hyperparameters chosen = tuned(parts[1].spec(), guess_sizes(sizes, variance));
  chosen.size_share = kSizeShare;
  const PublicTransform transform = transform_of(chosen.transform);
  Model model = fit_with(chosen, transform, std::move(parts[1]), random);
  model.guarantee = compose(model.guarantee, spent);
  check_spent(model.guarantee, price_);
  return model;
}

TuneOptions FitPlan::tuning_for(const SizeGuess& sizes) const {
  const TransformSpec& transform = options_.hyperparameters.transform;
  return {.classes = data_.classes().size(),
          .records = sizes.records,
          .ratio = sizes.ratio,
          .transform = transform == TransformSpec{} ? std::nullopt : std::optional(transform),
          .threads = options_.threads};
}

Hyperparameters FitPlan::tuned(const BudgetSpec& budget, const SizeGuess& sizes) const {
  return options_.memory->choose(budget, tuning_for(sizes));
}

Model FitPlan::fit_with(const Hyperparameters& hyperparameters, const PublicTransform& transform, Budget budget,
                        Random& random) const {
  const Guarantee price = dppl::price(hyperparameters, budget.spec());  // wherever the choice came from
  check_pool(hyperparameters, data_.dim(), pool_);
  const PrivateAccess access(data_);
  Model model{
      .hyperparameters = hyperparameters, .classes = data_.classes(), .transform = transform, .budget = budget_};
  const FitInput input{access,
                       data_.classes().size(),
                       pool_,
                       transform,
                       hyperparameters,
                       options_.threads,
                       options_.progress,
                       options_.memory.get(),
                       options_.scores,
                       options_.released};
  Prototypes prototypes = fit_prototypes(input, std::move(budget), random);

  model.guarantee = std::move(prototypes.guarantee);
  check_spent(model.guarantee, price);
  if (pool_ != nullptr &&
      (selects(hyperparameters.method) || hyperparameters.shrink || transform.spec().needs_pool())) {
    model.pool = Model::PoolIdentity{pool_->digest(), pool_->size(), pool_->dim()};
  }
  model.prototypes = std::move(prototypes.values);
  model.prototypes_per_class = prototypes.per_class;
  model.sums = std::move(prototypes.sums);
  model.counts = std::move(prototypes.counts);
  model.unit = prototypes.unit;
  model.noise_variance = std::move(prototypes.noise_variance);
  model.pool_indices = std::move(prototypes.pool_indices);
  return model;
}

Model fit(const PrivateData& data, const PublicData* pool, const FitOptions& options, Budget budget, Random& random) {
  const FitPlan plan(data, pool, options, budget.spec());
  return plan.run(std::move(budget), random);
}

}  // namespace dppl
