#include <gtest/gtest.h>

#include "dppl/error.h"
#include "dppl/fit.h"
#include "support/expect_error.h"
#include "support/tuning_pool.h"

namespace dppl {
namespace {

using namespace testing;

PrivateData some_records() {
  SeededRandom random(4);
  std::vector<float> values;
  std::vector<int64_t> labels;
  for (size_t i = 0; i < 400; ++i) {
    labels.push_back(static_cast<int64_t>(i % 4));
    for (size_t k = 0; k < kDim; ++k) values.push_back(static_cast<float>(normal(random) + (k == i % 4 ? 3 : 0)));
  }
  return PrivateData::from_memory(std::move(values), kDim, std::move(labels), ClassSet::numbered(4));
}

std::shared_ptr<const ClassKnowledge> some_examples() {
  std::vector<float> values(8 * kDim);
  for (size_t i = 0; i < 8; ++i) values[i * kDim + i % 4] = 1;
  return std::make_shared<ClassKnowledge>(ClassSet::numbered(4), PublicData::from_memory(std::move(values), kDim),
                                          std::vector<int64_t>{0, 1, 2, 3, 0, 1, 2, 3}, std::nullopt);
}

// What auto spends in its steps is the budget, to the last digit, with public knowledge and without.
TEST(Auto, SpendsItsBudgetExactly) {
  const PublicData pool = clouds();
  const PrivateData data = some_records();
  for (const auto& knowledge : {std::shared_ptr<const ClassKnowledge>(), some_examples()}) {
    for (const BudgetSpec& budget : {BudgetSpec::zcdp(Rational(1, 10)), BudgetSpec::pure(Rational(3, 10)),
                                     BudgetSpec::approximate(1, Rational(1, 100000))}) {
      std::vector<std::string> models;
      for (const unsigned threads : {1u, 2u}) {
        FitOptions options;
        options.threads = threads;
        options.knowledge = knowledge;
        SeededRandom random(5);
        const FitPlan plan(data, pool, options, budget);
        EXPECT_TRUE(is_auto(plan.settings()));
        const Model model = plan.run(Budget::unledgered(budget), random);
        EXPECT_FALSE(is_auto(model.settings));
        EXPECT_EQ(model.size_share, kSizeShare);
        EXPECT_EQ(model.knowledge.has_value(), knowledge != nullptr);
        if (budget.notion == Notion::pure) {
          EXPECT_EQ(*model.guarantee.epsilon, budget.amount);
          EXPECT_NE(method_name(model.settings), "mean");
        } else {
          EXPECT_EQ(*model.guarantee.rho, Budget::unledgered(budget).rho());
        }
        EXPECT_LE(serialise_model(model).size(), plan.model_bytes());
        models.push_back(serialise_model(model));
      }
      EXPECT_EQ(models[0], models[1]) << "threads change the model";
    }
  }
}

TEST(Auto, TakesADeclaredNumberOfRecordsForItsChoice) {
  const PublicData pool = clouds();
  const PrivateData data = some_records();
  FitOptions options;
  options.settings = AutoSettings{.records = 400};
  const BudgetSpec budget = BudgetSpec::zcdp(Rational(1, 10));
  const FitPlan plan(data, pool, options, budget);
  EXPECT_EQ(method_name(plan.settings()), "mean");
  SeededRandom random(6);
  const Model model = plan.run(Budget::unledgered(budget), random);
  EXPECT_EQ(*model.guarantee.rho, budget.amount);
  EXPECT_EQ(model.size_share, kSizeShare) << "the centre needs sizes still";
}

TEST(Auto, RefusesKnowledgeThatDoesNotFit) {
  const PublicData pool = clouds();
  const PrivateData data = some_records();
  const auto refused = [&](const ClassSet& classes, size_t dim, const char* word) {
    FitOptions options;
    options.knowledge = std::make_shared<ClassKnowledge>(
        classes, PublicData::from_memory(std::vector<float>(dim, 1.0f), dim), std::vector<int64_t>{0}, std::nullopt);
    testing::expect_error<InvalidInput>([&] { FitPlan(data, pool, options, BudgetSpec::zcdp(1)); }, {word});
  };
  refused(ClassSet::numbered(4), kDim + 1, "dimension");
  refused(ClassSet::numbered(5), kDim, "classes");
}

TEST(Tune, GivesMoreDirectionsAndStepsToMoreSignal) {
  const PublicData pool = clouds();
  size_t directions = 0;
  Rational share = 0;
  for (const double records : {10.0, 300.0, 3000.0, 1e9}) {
    const Tuning tuning = tune(pool, BudgetSpec::zcdp(Rational(1, 50)), {.sizes = {records}});
    const auto& mean = std::get<MeanSettings>(tuning.settings);
    EXPECT_GE(mean.transform.directions, directions);
    EXPECT_GE(mean.extra_share(), share);
    if (records == 10) {
      EXPECT_EQ(mean.gradient_steps(), nullptr);
    }
    directions = mean.transform.directions;
    share = mean.extra_share();
    EXPECT_NO_THROW(price(tuning.settings, BudgetSpec::zcdp(Rational(1, 50))));
  }
  EXPECT_EQ(directions, kDim) << "not more than the pool has";
  EXPECT_EQ(share, Rational(99, 100) * Rational(95, 100)) << "of what the centre leaves; the rest is for the sums";
}

TEST(Tune, StepsKnowMoreOfAClassThanItsExamples) {
  const PublicData pool = clouds();
  const auto has_steps = [&](size_t examples) {
    const TuneOptions options{.sizes = {100, 100}, .examples = examples};
    const Settings chosen = tune(pool, BudgetSpec::zcdp(Rational(1, 50)), options).settings;  // a signal of 20
    return std::get<MeanSettings>(chosen).gradient_steps() != nullptr;
  };
  EXPECT_TRUE(has_steps(0));
  EXPECT_TRUE(has_steps(2 * 19));
  EXPECT_FALSE(has_steps(2 * 21));
}

TEST(Tune, ExamplesAddDirections) {
  const PublicData pool = clouds();
  const auto directions = [&](size_t examples) {
    return transform_of(tune(pool, BudgetSpec::zcdp(Rational(1, 1000)), {.sizes = {10}, .examples = examples}).settings)
        .directions;
  };
  EXPECT_LT(directions(0), directions(40));
}

TEST(Tune, SetsNeedASmallestClassWithEnoughToSay) {
  const PublicData pool = clouds();
  const auto method = [&](double smallest) {
    return std::string(method_name(tune(pool, BudgetSpec::pure(1), {.sizes = {1000, smallest}}).settings));
  };
  EXPECT_EQ(method(20), "public");
  EXPECT_EQ(method(200), "public-k");
  EXPECT_EQ(method_name(tune(pool, BudgetSpec::pure(1), {.method = "public-k"}).settings), "public-k");
  EXPECT_EQ(method_name(tune(pool, BudgetSpec::zcdp(1), {.method = "public"}).settings), "public");
}

TEST(Tune, RefusesAPoolThatIsTooSmall) {
  testing::expect_error<InvalidInput>([&] { tune(clouds(100), BudgetSpec::zcdp(1), {.classes = 5}); }, {"too small"});
}

TEST(PublicOnly, SpendsNothingAndKnowsTheExamples) {
  const Model model = fit_public_only(*some_examples(), clouds(), AutoSettings{});
  EXPECT_EQ(model.guarantee.epsilon, Rational(0));
  EXPECT_TRUE(model.public_only());
  const Model again = parse_model(serialise_model(model), "model");
  EXPECT_EQ(again.knowledge, model.knowledge);
  EXPECT_EQ(again.prototypes, model.prototypes);
  // Without a pool, rows are compared as they are.
  EXPECT_EQ(fit_public_only(*some_examples(), std::nullopt, AutoSettings{}).prototypes.size(), 4 * kDim);
}

}  // namespace
}  // namespace dppl
