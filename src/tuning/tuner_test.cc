#include "dppl/tune.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "dppl/error.h"
#include "dppl/fit.h"
#include "random/simulation.h"
#include "support/expect_error.h"
#include "support/tuning_pool.h"
#include "tuning/pseudo_classes.h"

namespace dppl {
namespace {

using namespace testing;

bool is_refined(const Trial& trial) {
  const auto* mean = std::get_if<MeanSettings>(&trial.settings);
  return mean != nullptr && mean->gradient_steps() != nullptr;
}

std::vector<std::string> lines(const Tuning& tuning) {
  std::vector<std::string> result;
  for (const Trial& trial : tuning.trials) {
    std::string settings(method_name(trial.settings));
    for (const SettingField& field : setting_fields()) {
      if (const auto value = field.get(trial.settings)) settings += " " + to_text(*value);
    }
    result.push_back(settings + " " + std::to_string(trial.balanced) + " " + std::to_string(trial.minority));
  }
  return result;
}

TEST(Tune, IsTheSameOnEveryRunAndWithAnyThreads) {
  const PublicData pool = clouds();
  const BudgetSpec budget = BudgetSpec::zcdp(Rational(1, 50));
  const Tuning one = tune(pool, budget, {.classes = 10, .records = 500, .threads = 1});
  const Tuning two = tune(pool, budget, {.classes = 10, .records = 500, .threads = 2});
  EXPECT_EQ(lines(one), lines(two));
  EXPECT_EQ(one.pseudo_classes, 10u);
}

// The minority counts, but not at any price to the others.
TEST(Tune, ChoosesForAllClassesAndForTheMinority) {
  const PublicData pool = clouds();
  for (const Rational& rho : {Rational(1, 1000), Rational(1, 50), Rational(1)}) {
    const Tuning tuning = tune(pool, BudgetSpec::zcdp(rho), {.classes = 10, .records = 300, .ratio = 20});
    const Trial& best = *std::max_element(tuning.trials.begin(), tuning.trials.end(),
                                          [](const Trial& a, const Trial& b) { return a.expected < b.expected; });
    const Trial& chosen = tuning.trials.front();
    EXPECT_EQ(transform_of(chosen.settings), transform_of(best.settings));
    EXPECT_EQ(is_refined(chosen), is_refined(best));
    EXPECT_GE(chosen.expected, best.expected - 0.015);
    for (const Trial& trial : tuning.trials) {
      const bool eligible = transform_of(trial.settings) == transform_of(best.settings) &&
                            is_refined(trial) == is_refined(best) && trial.expected >= best.expected - 0.015;
      if (!eligible) continue;
      EXPECT_GE(chosen.expected + 0.75 * chosen.minority, trial.expected + 0.75 * trial.minority);
    }
  }
}

TEST(Tune, TriesGradientSteps) {
  const Tuning tuning = tune(clouds(), BudgetSpec::zcdp(4), {.classes = 10, .records = 2000, .method = "mean"});
  double refined = 0, plain = 0;
  for (const Trial& trial : tuning.trials) {
    double& best = is_refined(trial) ? refined : plain;
    best = std::max(best, trial.balanced);
  }
  // 0.1 is chance. These clouds are round, so means do as well as anything can.
  EXPECT_GT(plain, 0.5);
  EXPECT_NEAR(refined, plain, 0.05);
}

// Not the luckiest number of directions, but one among those that may be best; it is expected to reach as much.
TEST(Tune, StepsGoIntoTheMiddleOfTheBestSpaces) {
  Tuning tuning = tune(clouds(), BudgetSpec::zcdp(4), {.classes = 10, .records = 2000, .method = "mean"});
  std::vector<Trial>& refined = tuning.trials;
  std::erase_if(refined, [](const Trial& trial) { return !is_refined(trial); });
  ASSERT_GE(refined.size(), 3u);
  const auto most_by = [&](double Trial::*value) {
    return *std::max_element(refined.begin(), refined.end(),
                             [&](const Trial& a, const Trial& b) { return a.*value < b.*value; });
  };
  const Trial chosen = most_by(&Trial::expected), luckiest = most_by(&Trial::balanced);
  EXPECT_GE(chosen.expected, luckiest.balanced);
  std::vector<size_t> near;
  for (const Trial& trial : refined) {
    if (trial.balanced >= luckiest.balanced - 0.03) near.push_back(transform_of(trial.settings).directions);
  }
  const auto [fewest, most] = std::minmax_element(near.begin(), near.end());
  EXPECT_GE(transform_of(chosen.settings).directions, *fewest);
  EXPECT_LE(transform_of(chosen.settings).directions, *most);
}

// Equal centres have the same nearest rows, which can stand for one class only.
TEST(Tune, DoesWithoutClassesThatGetNoRows) {
  SeededRandom random(5);
  std::vector<float> values(60 * kDim);
  for (float& value : values) value = static_cast<float>(normal(random));
  std::vector<float> copies;
  for (int i = 0; i < 17; ++i) copies.insert(copies.end(), values.begin(), values.end());
  const PublicData pool = PublicData::from_memory(std::move(copies), kDim);
  const Tuning tuning = tune(pool, BudgetSpec::zcdp(Rational(1, 2)), {.classes = 20, .records = 1000});
  EXPECT_GE(tuning.pseudo_classes, 2u);
  EXPECT_LT(tuning.pseudo_classes, 20u);
}

TEST(Tune, KnowsWhatABudgetAllows) {
  const PublicData pool = clouds();
  const Tuning pure = tune(pool, BudgetSpec::pure(1), {.classes = 5});
  for (const Trial& trial : pure.trials) EXPECT_NE(method_name(trial.settings), "mean");
  const Tuning mean = tune(pool, BudgetSpec::zcdp(1), {.classes = 5, .method = "mean"});
  for (const Trial& trial : mean.trials) EXPECT_EQ(method_name(trial.settings), "mean");
  // Everything it proposes can be fitted.
  for (const Tuning* tuning : {&pure, &mean}) {
    for (const Trial& trial : tuning->trials) {
      EXPECT_NO_THROW(price(trial.settings, tuning == &pure ? BudgetSpec::pure(1) : BudgetSpec::zcdp(1)));
    }
  }
}

TEST(Tune, ReachesMoreWithMoreBudgetAndRecords) {
  const PublicData pool = clouds();
  const auto best = [&](const Rational& rho, uint64_t records) {
    return tune(pool, BudgetSpec::zcdp(rho), {.classes = 10, .records = records, .method = "mean"})
        .trials.front()
        .balanced;
  };
  const double little = best(Rational(1, 10000), 200);
  EXPECT_GT(best(Rational(1), 200), little + 0.1);
  EXPECT_GT(best(Rational(1, 10000), 20000), little + 0.1);
}

TEST(Tune, RefusesAPoolThatIsTooSmall) {
  const PublicData pool = clouds(100);
  testing::expect_error<InvalidInput>([&] { tune(pool, BudgetSpec::zcdp(1), {.classes = 5}); }, {"too small"});
}

// One coordinate that never changes: a direction less, nothing else.
TEST(Tune, AConstantCoordinateIsNoObstacle) {
  std::vector<float> values;
  const PublicData varied = clouds();
  std::vector<float> row(varied.dim());
  for (size_t i = 0; i < varied.size(); ++i) {
    varied.embeddings().row(i, row);
    values.insert(values.end(), row.begin(), row.end());
    values.push_back(0);
  }
  const PublicData pool = PublicData::from_memory(values, varied.dim() + 1);
  EXPECT_GT(tune(pool, BudgetSpec::zcdp(1), {.classes = 5}).trials.size(), 10u);
}

TEST(PseudoClasses, KeepTestRowsAndPoolApart) {
  const PublicData pool = clouds();
  const PublicTransform common = PublicTransform::compute(TransformSpec::parse("pca:24"), kDim, pool);
  PseudoClasses classes(pool, common, 10, 2);
  const auto rows = classes.rows(16, 0.5, 2);
  EXPECT_EQ(rows.dim, 16u);
  size_t train = 0;
  for (size_t c = 0; c < classes.classes(); ++c) train += classes.train(c).size();
  EXPECT_EQ(rows.train.size(), train * 16);
  EXPECT_EQ(rows.test.size(), classes.test_rows() * 16);
  const auto row_set = [](const std::vector<float>& values) {
    std::set<std::vector<float>> result;
    for (size_t i = 0; i < values.size(); i += 16) {
      result.emplace(values.begin() + static_cast<std::ptrdiff_t>(i),
                     values.begin() + static_cast<std::ptrdiff_t>(i + 16));
    }
    return result;
  };
  const auto in_pool = row_set(rows.pool), in_train = row_set(rows.train);
  for (const auto& row : row_set(rows.test)) {
    EXPECT_FALSE(in_pool.contains(row));
    EXPECT_FALSE(in_train.contains(row));
  }
}

TEST(PseudoClasses, SizesHaveTheSumAndTheRatio) {
  const auto sizes = expected_sizes(10000, 100, 100);
  EXPECT_NEAR(static_cast<double>(std::accumulate(sizes.begin(), sizes.end(), uint64_t{0})), 10000, 60);
  EXPECT_NEAR(static_cast<double>(sizes.front()) / static_cast<double>(sizes.back()), 100, 10);
  EXPECT_EQ(expected_sizes(5, 3, 1), (std::vector<uint64_t>{2, 2, 2}));
}

}  // namespace
}  // namespace dppl
