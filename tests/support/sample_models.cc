#include "support/sample_models.h"

namespace dppl::testing {
namespace {

Model make(const Settings& used, ClassSet classes, PublicTransform transform, BudgetSpec budget, Guarantee guarantee) {
  return {.settings = with_transform(used, transform.spec()),
          .classes = std::move(classes),
          .transform = std::move(transform),
          .budget = std::move(budget),
          .guarantee = std::move(guarantee)};
}

Model::PoolIdentity pool(uint64_t rows, uint64_t dim) { return {std::string(64, 'a'), rows, dim}; }

}  // namespace

Model public_model() {
  const Rational epsilon(1, 10);
  auto transform = PublicTransform::restore({TransformSpec::Kind::whiten, 2}, 4, {0.5f, 0.25f, 0, -0.25f},
                                            {1, 0, 0, 2, 0.5f, 0, 0, -1});
  Model model = make(PublicSettings{}, ClassSet::numbered(3), std::move(transform), BudgetSpec::pure(epsilon),
                     Guarantee::of_bounded_range(epsilon));
  model.pool = pool(1000, 4);
  model.prototypes = {1, -1, 0.5f, 2, 0.125f, -3};
  model.pool_indices = {17, 4, 999};
  return model;
}

Model public_k_model() {
  const PublicKSettings used{.clip = {.min = Rational(1, 3)}, .k = 2};
  const auto budget = BudgetSpec::approximate(1, Rational(1, 100'000));
  auto transform = PublicTransform::restore({TransformSpec::Kind::center, 0, 2}, 5, {0.5f, -0.5f}, {});
  Model model = make(used, ClassSet::named({"Katze", "Eichhörnchen 🐿"}), std::move(transform), budget,
                     Guarantee::of_bounded_range(bounded_range_for_approximate(budget.amount, budget.delta)));
  model.pool = pool(10, 5);
  model.prototypes_per_class = 2;
  model.prototypes = {1, 2, 3, 4, 5, 6, 7, 8};
  model.pool_indices = {0, 9, 5, 2};
  return model;
}

Model mean_model() {
  auto transform = PublicTransform::restore({TransformSpec::Kind::none}, 3, {}, {});
  const Rational rho(1, 200);
  Model model =
      make(MeanSettings{}, ClassSet::numbered(2), std::move(transform), BudgetSpec::zcdp(rho), Guarantee::zcdp(rho));
  model.ledger_entry = std::string(64, 'b');
  model.prototypes = {1, 0, 0, 0, 1, 0};
  model.sums = {100, -3, 2, -1, INT64_MAX, INT64_MIN};
  model.unit = 0.1;
  model.noise_variance = Rational(1'000'003, 1 << 20);
  return model;
}

Model refined_model() {
  const MeanSettings used{.shrinkage = Shrinkage{Rational(3, 2), Rational(1, 5)},
                          .extra = GradientSteps{12, Rational(1, 3), Rational(1, 7), Rational(1, 20)}};
  auto transform = PublicTransform::restore({TransformSpec::Kind::pca, 1}, 2, {0.1f, 0.2f}, {0.6f, 0.8f});
  const Rational rho(1, 3);
  Model model =
      make(used, ClassSet::named({"no", "yes"}), std::move(transform), BudgetSpec::zcdp(rho), Guarantee::zcdp(rho));
  model.size_share = Rational(1, 100);
  model.pool = pool(7, 2);
  model.prototypes = {0.5f, -0.5f};
  model.sums = {1, 2};
  model.unit = 1e-3;
  model.noise_variance = 9;
  return model;
}

Model metric_model() {
  Model model = refined_model();
  model.settings = with_transform(MeanSettings{.extra = SecondMomentMetric{Rational(1, 7)}}, model.transform.spec());
  model.size_share = 0;
  return model;
}

Model seeded_model() {
  Model model = mean_model();
  model.guarantee.is_private = false;
  return model;
}

Model for_people(Model model) {
  model.budget.relation = model.guarantee.relation = Relation::add_remove_person;
  return model;
}

std::vector<std::pair<std::string, Model>> all_sample_models() {
  return {{"public", public_model()},   {"public-k", public_k_model()}, {"mean", mean_model()},
          {"refined", refined_model()}, {"metric", metric_model()},     {"seeded", seeded_model()}};
}

}  // namespace dppl::testing
