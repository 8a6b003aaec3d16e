#include "model/check_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dppl/error.h"
#include "ledger/constants.h"
#include "privacy/validate.h"
#include "rows/constants.h"

namespace dppl {
namespace {

template <typename... Args>
void require(bool good, fmt::format_string<Args...> text, Args&&... args) {
  if (!good) throw InvalidInput(fmt::format(text, std::forward<Args>(args)...));
}

bool is_public(const Settings& settings) { return !std::holds_alternative<MeanSettings>(settings); }

void check_used(const Settings& settings) {
  require(!is_auto(settings), "its method is 'auto', which a finished model has resolved");
  check_settings(settings);
}

void check_values(std::span<const float> values, std::string_view what) {
  const bool finite = std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
  require(finite, "{} hold a value that is not finite", what);
}

void check_transform(const Model& model) {
  require(model.transform.spec() == transform_of(model.settings), "its transform is not that of its settings");
  require(model.input_dim() <= kMaxDim, "its dimension is {}; at most {} is possible", model.input_dim(), kMaxDim);
  check_values(model.transform.mean(), "the means of the transform");
  check_values(model.transform.basis(), "the directions of the transform");
}

// A model of public knowledge alone has a budget of 0.
void check_public_only(const Model& model) {
  require(model.knowledge.has_value(), "it has no budget and no public knowledge that it could be made of");
  require(model.budget.notion == Notion::pure && model.guarantee.epsilon == Rational(0),
          "it has no budget, and a guarantee that is not for nothing");
  require(model.sums.empty() && model.pool_indices.empty(), "it has no budget, but released values");
}

void check_budget(const BudgetSpec& budget) {
  require(budget.amount >= 0, "its budget is below 0");
  if (budget.notion == Notion::approximate) {
    require_delta(budget.delta);
  } else {
    require(budget.delta == 0, "its budget has a δ that its notion does not have");
  }
}

void check_spent(const std::optional<Rational>& spent, const Rational& budget) {
  require(spent.has_value(), "it states no guarantee in the notion of its budget");
  require(*spent <= budget, "its guarantee spends {}, more than its budget of {}", to_decimal(*spent, 6, Rounding::up),
          to_decimal(budget, 6, Rounding::up));
}

void check_guarantee(const Guarantee& guarantee, const BudgetSpec& budget) {
  require(guarantee.relation != Relation::replace_in_class, "it is for neighbours that models are no longer made for");
  require(guarantee.relation == budget.relation, "its guarantee and its budget are for different neighbours");
  for (const auto* amount : {&guarantee.epsilon, &guarantee.bounded_range, &guarantee.rho, &guarantee.mu_squared}) {
    if (*amount) require_cost(**amount, "cost");
  }
  if (guarantee.approximate) {
    require_cost(guarantee.approximate->epsilon, "ε");
    require_delta(guarantee.approximate->delta);
  }
  require(guarantee.epsilon || guarantee.rho || guarantee.mu_squared || guarantee.approximate,
          "it states no guarantee");
  if (budget.notion == Notion::pure) check_spent(guarantee.epsilon, budget.amount);
  if (budget.notion == Notion::zcdp) check_spent(guarantee.rho, budget.amount);
}

void check_hex(std::string_view text, std::string_view what) {
  const bool good =
      text.size() <= kMostHexDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  require(good, "{} is not of up to {} lower-case hexadecimal digits", what, kMostHexDigits);
}

void check_pool(const Model& model) {
  check_hex(model.ledger_entry, "its ledger entry");
  if (!model.pool) {
    require(!is_public(model.settings), "its prototypes come from a pool that it does not name");
    require(!model.transform.spec().needs_pool(), "its transform comes from a pool that it does not name");
    return;
  }
  check_hex(model.pool->digest, "the digest of its pool");
  require(!model.pool->digest.empty() && model.pool->rows > 0, "its pool is empty");
  require(model.pool->dim == model.input_dim(), "its pool has dimension {}, the model {}", model.pool->dim,
          model.input_dim());
}

void check_knowledge(const Model& model) {
  if (!model.knowledge) return;
  const Model::KnowledgeUse& use = *model.knowledge;
  check_hex(use.digest, "the digest of its public knowledge");
  require(use.classes > 0 && use.classes <= model.classes.size() && use.vectors <= model.classes.size() &&
              use.examples + use.vectors >= use.classes,
          "it says that {} classes are publicly known, by {} examples and {} vectors, which cannot be", use.classes,
          use.examples, use.vectors);
}

// Of `size` values there have to be rows × row_size. Divides, because the product may not fit.
void check_size(size_t size, size_t rows, size_t row_size, std::string_view what) {
  const bool good = rows > 0 && row_size > 0 && size % rows == 0 && size / rows == row_size;
  require(good, "it has {} {} where {} × {} belong", size, what, rows, row_size);
}

void check_sizes(const Model& model) {
  const size_t classes = model.classes.size(), of_class = model.prototypes_per_class;
  const auto* many = std::get_if<PublicKSettings>(&model.settings);
  require(of_class == (many != nullptr ? many->k : 1), "it has {} prototypes per class, which its method does not make",
          of_class);
  size_t rows = 0;
  require(!__builtin_mul_overflow(classes, of_class, &rows), "its number of prototypes is larger than any file");
  check_size(model.prototypes.size(), rows, model.output_dim(), "prototype values");
  if (is_public(model.settings)) {
    require(model.sums.empty(), "it has sums, which its method does not make");
    check_size(model.pool_indices.size(), rows, 1, "pool indices");
  } else {
    require(model.pool_indices.empty(), "it has pool indices, which its method does not make");
    if (!model.sums.empty()) check_size(model.sums.size(), classes, model.output_dim(), "sums");
  }
}

void check_released(const Model& model) {
  check_values(model.prototypes, "the prototypes");
  require(std::isfinite(model.unit) && model.unit >= 0, "the unit of its sums is not a number of at least 0");
  require(model.sums.empty() || model.unit > 0, "its sums have no unit");
  require(model.noise_variance >= 0, "its noise variance is below 0");
  const auto inside = [&](uint64_t index) { return index < model.pool->rows; };
  require(std::ranges::all_of(model.pool_indices, inside), "it names a row that its pool does not have");
}

}  // namespace

void check_score_scale(const Model& model) {
  const double scale = model.score_scale;
  require(scale == 0 || (scale > 0 && scale <= kMaxScoreScale),
          "its score scale is {}; above 0 and at most {} is possible", scale, kMaxScoreScale);
}

void check_model(const Model& model) {
  check_used(model.settings);
  check_transform(model);
  check_budget(model.budget);
  check_guarantee(model.guarantee, model.budget);
  check_pool(model);
  check_sizes(model);
  check_released(model);
  check_score_scale(model);
  check_knowledge(model);
  if (model.public_only()) check_public_only(model);
}

}  // namespace dppl
