#include "support/sample_models.h"

namespace dppl::testing {
namespace {

Model make(Hyperparameters used, ClassSet classes, PublicTransform transform, BudgetSpec budget, Guarantee guarantee) {
  used.transform = transform.spec();
  return {.hyperparameters = std::move(used),
          .classes = std::move(classes),
          .transform = std::move(transform),
          .budget = std::move(budget),
          .guarantee = std::move(guarantee)};
}

Model::PoolIdentity pool(uint64_t rows, uint64_t dim) { return {std::string(64, 'a'), rows, dim}; }

}  // namespace

Model public_model() {
  Hyperparameters used;
  used.method = Method::public_one;
  const Rational epsilon(1, 10);
  auto transform = PublicTransform::restore({TransformSpec::Kind::whiten, 2}, 4, {0.5f, 0.25f, 0, -0.25f},
                                            {1, 0, 0, 2, 0.5f, 0, 0, -1});
  Model model = make(used, ClassSet::numbered(3), std::move(transform), BudgetSpec::pure(epsilon),
                     Guarantee::of_bounded_range(epsilon));
  model.pool = pool(1000, 4);
  model.prototypes = {1, -1, 0.5f, 2, 0.125f, -3};
  model.pool_indices = {17, 4, 999};
  return model;
}

Model public_k_model() {
  Hyperparameters used;
  used.method = Method::public_k;
  used.k = 2;
  used.clip_min = Rational(1, 3);
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
  Hyperparameters used;
  used.method = Method::mean;
  auto transform = PublicTransform::restore({TransformSpec::Kind::none}, 3, {}, {});
  const Rational rho(1, 200);
  Model model = make(used, ClassSet::numbered(2), std::move(transform), BudgetSpec::zcdp(rho), Guarantee::zcdp(rho));
  model.ledger_entry = std::string(64, 'b');
  model.prototypes = {1, 0, 0, 0, 1, 0};
  model.sums = {100, -3, 2, -1, INT64_MAX, INT64_MIN};
  model.unit = 0.1;
  model.noise_variance = Rational(1'000'003, 1 << 20);
  return model;
}

Model euclidean_model() {
  Hyperparameters used;
  used.method = Method::mean;
  used.distance = Distance::euclidean;
  used.norm = Rational(3, 2);
  auto transform = PublicTransform::restore({TransformSpec::Kind::raw}, 1, {}, {});
  const Rational rho(1, 3);
  Model model =
      make(used, ClassSet::named({"no", "yes"}), std::move(transform), BudgetSpec::zcdp(rho), Guarantee::zcdp(rho));
  model.prototypes = {0.5f, -0.5f};
  model.sums = {1, 2};
  model.counts = {-1, 30};
  model.unit = 1e-3;
  model.noise_variance = 9;
  return model;
}

Model naive_model() {
  Hyperparameters used;
  used.method = Method::mean;
  used.estimator = Estimator::naive;
  auto transform = PublicTransform::restore({TransformSpec::Kind::pca, 1}, 2, {0.1f, 0.2f}, {0.6f, 0.8f});
  const auto budget = BudgetSpec::zcdp(Rational(1, 3), Relation::replace_in_class);
  Model model = make(used, ClassSet::numbered(2), std::move(transform), budget, budget.as_guarantee());
  model.pool = pool(7, 2);
  model.prototypes = {0.5f, -0.5f};
  return model;
}

Model seeded_model() {
  Model model = mean_model();
  model.guarantee.is_private = false;
  return model;
}

std::vector<std::pair<std::string, Model>> all_sample_models() {
  return {{"public", public_model()},       {"public-k", public_k_model()}, {"mean", mean_model()},
          {"euclidean", euclidean_model()}, {"naive", naive_model()},       {"seeded", seeded_model()}};
}

}  // namespace dppl::testing
