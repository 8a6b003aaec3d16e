#include <gtest/gtest.h>

#include "dppl/classify.h"
#include "dppl/error.h"
#include "dppl/fit.h"
#include "random/simulation.h"
#include "support/expect_error.h"

namespace dppl {
namespace {

constexpr size_t kDim = 24;

struct Task {
  std::vector<float> train, test, pool;
  std::vector<int64_t> train_labels, test_labels;
};
// Two classes whose means are close along one coordinate and which are wide along another: means point the wrong way,
// gradients find the border.
Task task() {
  SeededRandom random(25);
  Task result;
  const auto add = [&](std::vector<float>& to, double side) {
    for (size_t k = 0; k < kDim; ++k) {
      const double wide = k == 0 ? 1.0 : k == 1 ? 0.15 : 0.1;
      const double centre = k == 0 ? 0.4 * side : k == 1 ? 0.3 * side : k == 2 ? 1 : 0;
      to.push_back(static_cast<float>(centre + wide * normal(random)));
    }
  };
  for (int i = 0; i < 4000; ++i) {
    const int64_t label = i % 2;
    add(i < 2000 ? result.train : result.test, label == 0 ? -1 : 1);
    (i < 2000 ? result.train_labels : result.test_labels).push_back(label);
  }
  for (int i = 0; i < 500; ++i) add(result.pool, i % 2 == 0 ? -1 : 1);
  return result;
}

struct Fitted {
  double accuracy;
  Model model;
};
Fitted fitted(const Task& task, unsigned steps) {
  MeanSettings settings{.shrinkage = Shrinkage{}};
  if (steps > 0) settings.extra = GradientSteps{.steps = steps, .share = Rational(1, 2), .rate = Rational(2, 3)};
  const PublicData pool = PublicData::from_memory(task.pool, kDim);
  const PrivateData data = PrivateData::from_memory(task.train, kDim, task.train_labels, ClassSet::numbered(2));
  SeededRandom random(26);
  Model model = fit(data, pool, {.settings = settings}, Budget::unledgered(BudgetSpec::zcdp(Rational(1, 2))), random);
  const PublicData test = PublicData::from_memory(task.test, kDim);
  const std::vector<int32_t> predicted = Classifier(model).predict(test.embeddings());
  double right = 0;
  for (size_t i = 0; i < predicted.size(); ++i) right += predicted[i] == task.test_labels[i] ? 1 : 0;
  return {right / static_cast<double>(task.test_labels.size()), std::move(model)};
}

TEST(Mean, StepsFindTheBorderThatMeansMissAtTheSameCost) {
  const Task data = task();
  const Fitted plain = fitted(data, 0), refined = fitted(data, 30);
  EXPECT_LT(plain.accuracy, 0.88);
  EXPECT_GT(refined.accuracy, plain.accuracy + 0.05);
  EXPECT_EQ(*refined.model.guarantee.rho, Rational(1, 2));
  EXPECT_EQ(distance_of(refined.model.settings), Distance::dot);
  const Model again = parse_model(serialise_model(refined.model), "model");
  EXPECT_EQ(again.settings, refined.model.settings);
  EXPECT_EQ(again.prototypes, refined.model.prototypes);
  EXPECT_NE(describe_model(again).find("refine-steps         30\n"), std::string::npos) << describe_model(again);
  EXPECT_NE(describe_model(again).find("refine-share         0.5\n"), std::string::npos);
}

TEST(Mean, RefusesStepsThatCannotWork) {
  const BudgetSpec budget = BudgetSpec::zcdp(1);
  const MeanSettings good{.shrinkage = Shrinkage{},
                          .extra = GradientSteps{.steps = 10, .share = Rational(1, 2), .rate = 1}};
  EXPECT_EQ(*price(good, budget).rho, 1);
  const auto refused = [&](const char* word, const auto& change) {
    MeanSettings bad = good;
    change(bad, std::get<GradientSteps>(bad.extra));
    testing::expect_error<InvalidSetting>([&] { price(bad, budget); }, {word});
  };
  refused("refine-steps", [](MeanSettings& mean, GradientSteps&) { mean.shrinkage.reset(); });
  refused("refine-steps", [](MeanSettings&, GradientSteps& steps) { steps.steps = 100000; });
  refused("refine-steps", [](MeanSettings&, GradientSteps& steps) { steps.steps = 0; });
  refused("refine-share", [](MeanSettings&, GradientSteps& steps) { steps.share = 1; });
  refused("refine-share", [](MeanSettings&, GradientSteps& steps) { steps.share = 0; });
  refused("refine-rate", [](MeanSettings&, GradientSteps& steps) { steps.rate = 0; });
  refused("tau", [](MeanSettings&, GradientSteps& steps) { steps.tau = 2; });
  refused("lift", [](MeanSettings& mean, GradientSteps&) { mean.shrinkage->lift = Rational(1, 2); });
  refused("center-share", [](MeanSettings& mean, GradientSteps&) { mean.center_share = Rational(1, 2); });
  refused("center-share", [](MeanSettings& mean, GradientSteps&) { mean.center_share = Rational(1, 10); });
  const PrivateData data = PrivateData::from_memory({1, 0, 0, 1}, 2, {0, 1}, ClassSet::numbered(2));
  const MeanSettings centred{.transform = TransformSpec::parse("center"), .center_share = Rational(1, 20)};
  testing::expect_error<InvalidSetting>([&] { FitPlan(data, std::nullopt, {.settings = centred}, budget); },
                                        {"center-share", "pool"});
  // Gaussian noise has no pure guarantee.
  testing::expect_error<InvalidInput>([&] { price(good, BudgetSpec::pure(1)); }, {"pure"});
}

}  // namespace
}  // namespace dppl
