#include "dppl/fit.h"

#include "dppl/shards.h"
#include "estimation/class_size_estimate.h"
#include "estimation/known_directions.h"
#include "estimation/pool_posterior.h"
#include "estimation/prototype_scaling.h"
#include "methods/automatic.h"
#include "methods/constants.h"
#include "methods/method.h"
#include "rows/quantised_rows.h"
#include "tuning/constants.h"

namespace dppl {
namespace {

// Whatever a fit spends, it must not be more than what was said, and reserved, before.
void check_spent(const Guarantee& spent, const Guarantee& price) {
  const auto exceeds = [](const std::optional<Rational>& amount, const std::optional<Rational>& most) {
    return most && (!amount || *amount > *most);
  };
  if (spent.relation != price.relation || exceeds(spent.epsilon, price.epsilon) || exceeds(spent.rho, price.rho)) {
    throw Error("fit: it would cost more than its price; no model is made of it");
  }
}

// Whether the prototypes need the pool's rows; throws where pool, data and settings do not fit together.
bool check_pool(const Settings& settings, size_t dim, const std::optional<PublicData>& pool) {
  const bool used = with_method(settings, [&](const auto& one) { return uses_pool(one, pool); });
  if (!used) return false;
  if (pool->dim() != dim) refuse_dimension(*pool, dim);
  check_stored_transform(*pool, transform_of(settings));
  return true;
}

void check_width(const Settings& settings, const PublicTransform& transform) {
  const bool may_select = !std::holds_alternative<MeanSettings>(settings);
  if (may_select && transform.output_dim() > QuantisedRows::kLargestDim) {
    throw InvalidSetting("method", fmt::format("{} compares rows of at most {} values; use transform pca:K",
                                               method_name(settings), QuantisedRows::kLargestDim));
  }
}

// Knowledge of other classes, or of another encoder, helps nobody.
void check_knowledge(const ClassKnowledge& knowledge, const ClassSet& classes, size_t dim) {
  if (knowledge.dim() != dim) {
    throw InvalidInput(fmt::format(
        "class knowledge: has dimension {}, the data another; embed all with the same encoder", knowledge.dim()));
  }
  if (knowledge.classes().size() != classes.size()) {
    throw InvalidInput(
        fmt::format("class knowledge: is of {} classes, the fit has {}", knowledge.classes().size(), classes.size()));
  }
}

// Whether noisy class sizes are bought first, whatever the method is.
bool needs_sizes(const Settings& settings) {
  return is_auto(settings) || person_split_of(settings) == PersonSplit::small_classes;
}

const std::vector<Rational> kSizesAndRest{kSizeShare, 1 - kSizeShare};

Model::KnowledgeUse use_of(const ClassKnowledge& knowledge) {
  return {knowledge.known_classes(), knowledge.labels().size(), knowledge.classes_with_prior(), knowledge.digest()};
}

}  // namespace

Settings resolve(const Settings& wanted, const BudgetSpec& budget, const std::optional<PublicData>& pool) {
  Settings settings = wanted;
  if (pool && transform_of(settings) == TransformSpec{}) {
    settings = with_transform(std::move(settings), stored_transform(*pool).value_or(TransformSpec{}));
  }
  const auto* automatic = std::get_if<AutoSettings>(&settings);
  return automatic != nullptr ? resolve_plain(*automatic, budget, pool) : settings;
}

Guarantee price(const Settings& resolved, const BudgetSpec& spec) {
  check_settings(resolved);
  if (spec.relation == Relation::replace_in_class) {
    throw InvalidInput(fmt::format("fit: is private under add-remove, of records or of people; the budget is for {}",
                                   to_string(spec.relation)));
  }
  if (is_auto(resolved)) return price_of_choice(spec);
  if (needs_sizes(resolved)) {
    const Rational rest = 1 - kSizeShare;
    const BudgetSpec left = spec.notion == Notion::pure
                                ? BudgetSpec::pure(spec.amount * rest, spec.relation)
                                : BudgetSpec::zcdp(Budget::unledgered(spec).rho() * rest, spec.relation);
    with_method(resolved, [&](const auto& one) { return price_of(one, left); });  // refuses what cannot work
    return price_of_choice(spec);
  }
  return with_method(resolved, [&](const auto& one) { return price_of(one, spec); });
}

void check_remote(const Settings& settings) {
  if (std::holds_alternative<PublicSettings>(settings) || std::holds_alternative<PublicKSettings>(settings)) return;
  throw InvalidSetting("method", fmt::format("{} reads the rows of the pool here, and they are on other machines; use "
                                             "public or public-k, or open the pool itself",
                                             method_name(settings)));
}

void check_relation(const BudgetSpec& budget, const PrivateAccess& access) {
  const Relation own = relation_of(access);
  if (budget.relation == own) return;
  if (budget.relation == Relation::replace_in_class) {
    throw InvalidInput(fmt::format("fit: the data is private under {} and the budget is for {}", to_string(own),
                                   to_string(budget.relation)));
  }
  throw InvalidInput(own == Relation::add_remove
                         ? "fit: the budget is for people, and it is not known whose the records are; say whose"
                         : "fit: the budget is for records, and the data is private for people; give one for people");
}

CheckedBudget::CheckedBudget(Budget budget, const PrivateAccess& access) : budget_(std::move(budget)) {
  check_relation(budget_.spec(), access);
}

struct FitPlan::State {
  State(const PrivateData& private_data, const std::optional<PublicData>& public_pool, const FitOptions& asked,
        const BudgetSpec& spec, const SharedFits& shares);

  Settings choose_before(const AutoSettings& automatic);
  PublicTransform transform_of(const TransformSpec& spec) const;
  Model fit_with(const Settings& settings, const PublicTransform& transform, Budget budget, Random& random,
                 std::optional<NoisySizes> sizes = {}) const;
  Model fit_by_sizes(Budget budget, Random& random) const;

  const PrivateData& data;
  std::optional<PublicData> pool;
  FitOptions options;
  BudgetSpec budget;
  SharedFits shared;
  Settings settings;
  Guarantee price;
  PublicTransform transform;
  std::string plain_because;
};

FitPlan::State::State(const PrivateData& private_data, const std::optional<PublicData>& public_pool,
                      const FitOptions& asked, const BudgetSpec& spec, const SharedFits& shares)
    : data(private_data),
      pool(public_pool),
      options(asked),
      budget(spec),
      shared(shares),
      settings(resolve(asked.settings, spec, public_pool)),
      transform(PublicTransform::restore({}, data.dim(), {}, {})) {
  check_relation(budget, PrivateAccess(data));
  if (options.remote) {
    check_remote(settings);
    if (!pool || pool->digest() != options.remote->description().digest()) {
      throw InvalidInput("fit: the pool is not the description of the one on other machines");
    }
  }
  if (options.knowledge) check_knowledge(*options.knowledge, data.classes(), data.dim());
  if (person_split_of(settings) != PersonSplit::equal && budget.relation != Relation::add_remove_person) {
    throw InvalidSetting("person-split", "is for people, and it is not known whose the records are; say whose");
  }
  if (const auto* automatic = std::get_if<AutoSettings>(&settings)) {
    if (pool->dim() != data.dim()) refuse_dimension(*pool, data.dim());
    if (automatic->transform != TransformSpec{}) check_width(settings, transform_of(automatic->transform));
    if (!shared.pool) shared.pool = std::make_shared<PoolCache>(*pool, options.threads);
    settings = choose_before(*automatic);
  }
  price = dppl::price(settings, budget);
  if (is_auto(settings)) return;
  check_pool(settings, data.dim(), pool);
  transform = transform_of(dppl::transform_of(settings));
  check_width(settings, transform);
}

// What can be chosen without a private value; `auto` itself where the choice waits for noisy class sizes. Whatever
// could fail after those are bought is tried here, while it costs nothing.
Settings FitPlan::State::choose_before(const AutoSettings& automatic) {
  const size_t classes = data.classes().size();
  const auto choice = [&](double records) {
    const std::vector<double> sizes(classes, records / static_cast<double>(classes));
    return choose_for(sizes, automatic, *shared.pool, budget, options);
  };
  try {
    transform_of(dppl::transform_of(choice(kMostRecords)));
    if (automatic.records == 0) return automatic;
    return choice(static_cast<double>(automatic.records));
  } catch (const InvalidInput& error) {
    plain_because = error.what();
    return plain_method(automatic, budget);
  }
}

PublicTransform FitPlan::State::transform_of(const TransformSpec& spec) const {
  const bool is_shared = shared.pool && spec.needs_pool();
  PublicTransform result =
      is_shared ? shared.pool->transform(spec) : PublicTransform::compute(spec, data.dim(), pool, options.threads);
  // With another dimension, rows would be cut at other places than records end.
  if (result.input_dim() != data.dim()) throw Error("fit: what it shares is of another pool");
  return result;
}

Model FitPlan::State::fit_with(const Settings& used, const PublicTransform& seen_through, Budget part, Random& random,
                               std::optional<NoisySizes> sizes) const {
  // Wherever the choice came from; sizes have been paid for.
  const Guarantee most = dppl::price(with_person_split(used, PersonSplit::equal), part.spec());
  const bool used_pool = check_pool(used, data.dim(), pool) || seen_through.spec().needs_pool();
  const PrivateAccess access(data);
  std::vector<double> class_sizes;
  if (person_split_of(used) == PersonSplit::small_classes) {
    class_sizes = estimate_class_sizes(sizes.value().values, sizes->variance);
  }
  const FitInput input{{access, data.classes().size(), seen_through, options.threads, class_sizes},
                       pool,
                       options,
                       shared,
                       std::move(sizes)};
  CheckedBudget checked(std::move(part), access);
  Prototypes prototypes =
      with_method(used, [&](const auto& one) { return fit_prototypes(one, input, std::move(checked), random); });
  check_spent(prototypes.guarantee, most);

  Model model{.settings = used,
              .size_share = prototypes.size_share,
              .classes = data.classes(),
              .transform = prototypes.transform.value_or(seen_through),
              .budget = budget};
  model.guarantee = std::move(prototypes.guarantee);
  model.score_scale = prototypes.score_scale;
  if (options.knowledge) model.knowledge = use_of(*options.knowledge);
  if (pool && used_pool) model.pool = Model::PoolIdentity{pool->digest(), pool->size(), pool->dim()};
  model.prototypes = std::move(prototypes.values);
  model.prototypes_per_class = prototypes.per_class;
  model.sums = std::move(prototypes.sums);
  model.unit = prototypes.unit;
  model.noise_variance = std::move(prototypes.noise_variance);
  model.pool_indices = std::move(prototypes.pool_indices);
  return model;
}

// Which records there are stays hidden; roughly how many, and how unevenly they fall into classes, is worth a hundredth
// of the budget, because the right settings depend on it. The choice is then a function of the noisy sizes and of
// public values.
Model FitPlan::State::fit_by_sizes(Budget whole, Random& random) const {
  if (whole.spec().notion != Notion::pure) whole = Budget::to_zcdp(std::move(whole));
  std::vector<Budget> parts = Budget::split(std::move(whole), kSizesAndRest);
  const size_t classes = data.classes().size();
  const NoisySizes sizes =
      release_class_sizes(PrivateAccess(data), classes, std::move(parts[0]), FitStreams(random, classes));
  if (options.released) options.released({"class sizes", sizes.values, sizes.variance});
  const auto* automatic = std::get_if<AutoSettings>(&settings);
  const Settings chosen = automatic == nullptr ? settings
                                               : choose_for(estimate_class_sizes(sizes.values, sizes.variance),
                                                            *automatic, *shared.pool, parts[1].spec(), options);
  Model model = fit_with(chosen, transform_of(dppl::transform_of(chosen)), std::move(parts[1]), random, sizes);
  model.size_share = kSizeShare;
  model.guarantee = compose(model.guarantee, sizes.guarantee);
  check_spent(model.guarantee, price);
  return model;
}

FitPlan::FitPlan(const PrivateData& data, const std::optional<PublicData>& pool, const FitOptions& options,
                 const BudgetSpec& budget)
    : FitPlan(std::make_unique<State>(data, pool, options, budget, SharedFits{})) {}
FitPlan::FitPlan(std::unique_ptr<State> state) : state_(std::move(state)) {}
FitPlan::~FitPlan() = default;
FitPlan::FitPlan(FitPlan&&) noexcept = default;
FitPlan& FitPlan::operator=(FitPlan&&) noexcept = default;

const Settings& FitPlan::settings() const { return state_->settings; }
const Guarantee& FitPlan::price() const { return state_->price; }
const std::string& FitPlan::plain_because() const { return state_->plain_because; }

uint64_t FitPlan::model_bytes() const {
  // What is still to be chosen is chosen from this at most.
  const ClassSet& names = state_->data.classes();
  const bool open = is_auto(state_->settings);
  const auto* many = std::get_if<PublicKSettings>(&state_->settings);
  const uint64_t classes = names.size(), per_class = open ? 5 : many != nullptr ? many->k : 1;
  const PublicTransform& transform = state_->transform;
  const uint64_t input_dim = state_->data.dim(), dim = open ? input_dim : transform.output_dim();
  uint64_t bytes = 4 * (open ? input_dim * (dim + 1) : transform.mean().size() + transform.basis().size());
  bytes += classes * (per_class * (4 * dim + 8) + 8 * dim + 8);
  for (size_t c = 0; names.has_names() && c < classes; ++c) bytes += 6 * names.name(c).size() + 8;
  return bytes + (64 << 10);
}

Model FitPlan::run(Budget budget, Random& random) const {
  if (!(budget.spec() == state_->budget)) {
    throw InvalidInput(
        fmt::format("fit: planned for {}, given {}", state_->budget.describe(), budget.spec().describe()));
  }
  // What is shared between runs has not passed a mechanism.
  if (state_->shared.scores && random.is_private()) {
    throw InvalidInput("fit: scores are shared between seeded runs only; leave them out");
  }
  if (needs_sizes(state_->settings)) return state_->fit_by_sizes(std::move(budget), random);
  return state_->fit_with(state_->settings, state_->transform, std::move(budget), random);
}

FitPlan plan_fit(const PrivateData& data, const std::optional<PublicData>& pool, const FitOptions& options,
                 const BudgetSpec& budget, const SharedFits& shared) {
  return FitPlan(std::make_unique<FitPlan::State>(data, pool, options, budget, shared));
}

Model fit_public_only(const ClassKnowledge& knowledge, const std::optional<PublicData>& pool, const Settings& asked,
                      unsigned threads) {
  Settings settings = MeanSettings{.transform = transform_of(asked)};
  if (pool && pool->dim() != knowledge.dim()) refuse_dimension(*pool, knowledge.dim());
  if (pool && is_auto(asked) && transform_of(asked) == TransformSpec{} && pool->size() >= kSmallestPool) {
    const TuneOptions tuning{.sizes = {0}, .examples = knowledge.size()};
    settings = MeanSettings{.transform = transform_of(tune(*pool, BudgetSpec::zcdp(1), tuning).settings)};
  }
  const PublicTransform transform = PublicTransform::compute(transform_of(settings), knowledge.dim(), pool, threads);
  std::vector<double> directions = known_directions(knowledge, transform).directions;
  if (pool) directions = compared_whiter(directions, PoolPrior::of(*pool, transform, threads).variances);
  const BudgetSpec nothing{.notion = Notion::pure, .amount = 0, .delta = 0};
  Model model{.settings = settings, .classes = knowledge.classes(), .transform = transform, .budget = nothing};
  model.guarantee = Guarantee::pure(0);
  if (pool) model.pool = Model::PoolIdentity{pool->digest(), pool->size(), pool->dim()};
  model.knowledge = use_of(knowledge);
  model.prototypes.assign(directions.begin(), directions.end());
  return model;
}

Model fit(const PrivateData& data, const std::optional<PublicData>& pool, const FitOptions& options, Budget budget,
          Random& random) {
  const FitPlan plan(data, pool, options, budget.spec());
  return plan.run(std::move(budget), random);
}

}  // namespace dppl
