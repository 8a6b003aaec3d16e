#include "dppl/fit.h"

#include <fmt/format.h>

#include "dppl/error.h"
#include "prototypes/method.h"
#include "similarity/pair_scores.h"

namespace dppl {
namespace {

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

void check_mean(const Hyperparameters& hp, Relation relation) {
  if (hp.norm && *hp.norm <= 0) throw InvalidInput(fmt::format("--norm: {} must be above 0", to_string(*hp.norm)));
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

Prototypes fit_prototypes(const FitInput& input, Budget budget, Random& random) {
  if (selects(input.hyperparameters.method)) return fit_public(input, std::move(budget), random);
  switch (input.hyperparameters.estimator) {
    case Estimator::noisy_sum:
      return fit_noisy_sum(input, std::move(budget), random);
    case Estimator::naive:
      return fit_naive_mean(input, std::move(budget), random);
    case Estimator::coinpress:
      return fit_coinpress(input, std::move(budget), random);
  }
  throw InvalidInput("--estimator: not known");
}

void check_pool(const Hyperparameters& hp, size_t dim, const PublicData* pool) {
  if (!selects(hp.method)) return;
  if (pool == nullptr) {
    throw InvalidInput(
        fmt::format("--method {}: chooses from a public pool; give one with --pool", to_string(hp.method)));
  }
  if (pool->dim() != dim) refuse_dimension(*pool, dim);
  check_stored_transform(*pool, hp.transform);
  if (hp.method == Method::public_k && hp.k > pool->size()) {
    throw InvalidInput(
        fmt::format("--k: {} prototypes from a pool of {} rows; use a smaller K or a larger pool", hp.k, pool->size()));
  }
}

// Scores are sums over records that must fit 62 bits. The number of records is private, so it is not said.
void check_records(const Hyperparameters& hp, const PrivateData& data) {
  if (!selects(hp.method)) return;
  const int64_t most = (int64_t{1} << 62) / ScoreRange::of(hp.clip_min, hp.clip_max).top();
  if (PrivateAccess(data).size() > static_cast<size_t>(most)) {
    throw InvalidInput(
        fmt::format("--method {}: takes at most {} records with this clip range; use a narrower one or fewer records",
                    to_string(hp.method), most));
  }
}

}  // namespace

Hyperparameters resolve(const Hyperparameters& wanted, const BudgetSpec& budget, const PublicData* pool) {
  Hyperparameters hp = wanted;
  if (hp.norm && hp.transform.kind == TransformSpec::Kind::none) hp.transform.kind = TransformSpec::Kind::raw;
  if (pool != nullptr && hp.transform == TransformSpec{}) hp.transform = stored_transform(*pool).value_or(hp.transform);
  if (hp.method != Method::automatic) return hp;
  if (budget.notion == Notion::pure) {
    if (pool == nullptr) {
      throw InvalidInput(
          "--method auto: a pure budget needs --pool (Gaussian noise has no pure guarantee); or give --rho, or --delta "
          "as well");
    }
    hp.method = Method::public_one;
    return hp;
  }
  hp.method = Method::mean;
  // Measured on CIFAR-100 at every budget: the noisy sum of whitened rows is ahead of selection, with more directions
  // for larger budgets.
  if (pool != nullptr && hp.transform.kind == TransformSpec::Kind::none && budget.relation == Relation::add_remove) {
    const bool large = Budget::unledgered(budget).rho() >= Rational(1, 20);
    hp.transform.kind = TransformSpec::Kind::whiten;
    hp.transform.directions = std::min<size_t>(
        {large ? size_t{128} : size_t{64}, pool->dim() / hp.transform.average_pool, (pool->size() + 1) / 2});
  }
  return hp;
}

Guarantee price(const Hyperparameters& resolved, const BudgetSpec& spec) {
  const Budget budget = Budget::unledgered(spec);
  if (!selects(resolved.method)) {
    check_mean(resolved, spec.relation);
    return Guarantee::zcdp(budget.rho(), spec.relation);
  }
  check_selection(resolved);
  if (spec.relation != Relation::add_remove) {
    throw InvalidInput("--neighbours replace-in-class: is for --method mean; selection is private under add-remove");
  }
  return resolved.selection == Selection::exponential ? Guarantee::of_bounded_range(budget.bounded_range_epsilon())
                                                      : Guarantee::pure(budget.pure_epsilon());
}

FitPlan::FitPlan(const PrivateData& data, const PublicData* pool, const FitOptions& options, const BudgetSpec& budget)
    : data_(data),
      pool_(pool),
      options_{resolve(options.hyperparameters, budget, pool), options.threads, options.progress},
      budget_(budget),
      price_(dppl::price(options_.hyperparameters, budget)),
      transform_((check_pool(options_.hyperparameters, data.dim(), pool), check_records(options_.hyperparameters, data),
                  PublicTransform::compute(options_.hyperparameters.transform, data.dim(), pool, options.threads))) {}

uint64_t FitPlan::model_bytes() const {
  const Hyperparameters& hp = options_.hyperparameters;
  const uint64_t classes = data_.classes().size(), per_class = hp.method == Method::public_k ? hp.k : 1;
  uint64_t bytes = 4 * (transform_.mean().size() + transform_.basis().size());
  bytes += classes * (per_class * (4 * transform_.output_dim() + 8) + 8 * transform_.output_dim() + 8);
  for (size_t c = 0; data_.classes().has_names() && c < classes; ++c) bytes += 6 * data_.classes().name(c).size() + 8;
  return bytes + (64 << 10);
}

Model FitPlan::run(Budget budget, Random& random) const {
  if (!(budget.spec() == budget_)) {
    throw InvalidInput(fmt::format("fit: planned for {}, given {}", budget_.describe(), budget.spec().describe()));
  }
  const PrivateAccess access(data_);
  Model model{.hyperparameters = options_.hyperparameters,
              .classes = data_.classes(),
              .transform = transform_,
              .budget = budget_};
  const FitInput input{access,           data_.classes().size(), pool_, transform_, options_.hyperparameters,
                       options_.threads, options_.progress};
  Prototypes prototypes = fit_prototypes(input, std::move(budget), random);

  model.guarantee = std::move(prototypes.guarantee);
  if (pool_ != nullptr && (selects(model.hyperparameters.method) || transform_.spec().needs_pool())) {
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
