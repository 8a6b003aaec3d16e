#include "dppl/tune.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "dppl/error.h"
#include "random/simulation.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"
#include "tuning/cache.h"
#include "tuning/pseudo_classes.h"

namespace dppl {
namespace {

constexpr size_t kDim = 48;

// Forty clouds in a space in which the leading coordinates are wide.
PublicData clouds(size_t rows = 3000) {
  SeededRandom random(3);
  std::vector<double> centres(40 * kDim);
  for (size_t i = 0; i < centres.size(); ++i)
    centres[i] = normal(random) / std::sqrt(1.0 + static_cast<double>(i % kDim));
  std::vector<float> values;
  for (size_t i = 0; i < rows; ++i) {
    const size_t cloud = random.next64() % 40;
    for (size_t k = 0; k < kDim; ++k) {
      values.push_back(static_cast<float>(centres[cloud * kDim + k] + 0.3 * normal(random)));
    }
  }
  return PublicData::from_memory(std::move(values), kDim);
}

// The user's cache directory stays out of it.
class OwnCache {
 public:
  OwnCache() {
    if (const char* before = std::getenv("XDG_CACHE_HOME")) before_ = before;
    setenv("XDG_CACHE_HOME", path().c_str(), 1);
  }
  ~OwnCache() { before_.empty() ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", before_.c_str(), 1); }
  std::string path() const { return directory_.path("cache"); }

 private:
  testing::TempDir directory_;
  std::string before_;
};

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

std::vector<std::string> lines(const Tuning& tuning) {
  std::vector<std::string> result;
  for (const Trial& trial : tuning.trials) {
    result.push_back(std::string(to_string(trial.hyperparameters.method)) +
                     trial.hyperparameters.transform.to_string() + to_string(trial.hyperparameters.lift) +
                     std::to_string(trial.balanced) + " " + std::to_string(trial.minority));
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
    EXPECT_EQ(chosen.hyperparameters.transform, best.hyperparameters.transform);
    EXPECT_EQ(chosen.hyperparameters.refine_steps, best.hyperparameters.refine_steps);
    EXPECT_GE(chosen.expected, best.expected - 0.015);
    for (const Trial& trial : tuning.trials) {
      const bool eligible = trial.hyperparameters.transform == best.hyperparameters.transform &&
                            trial.hyperparameters.refine_steps == best.hyperparameters.refine_steps &&
                            trial.expected >= best.expected - 0.015;
      if (!eligible) continue;
      EXPECT_GE(chosen.expected + 0.75 * chosen.minority, trial.expected + 0.75 * trial.minority);
    }
  }
}

TEST(Tune, TriesGradientSteps) {
  const Tuning tuning = tune(clouds(), BudgetSpec::zcdp(4), {.classes = 10, .records = 2000, .method = Method::mean});
  double refined = 0, plain = 0;
  for (const Trial& trial : tuning.trials) {
    double& best = trial.hyperparameters.refine_steps > 0 ? refined : plain;
    best = std::max(best, trial.balanced);
  }
  // 0.1 is chance. These clouds are round, so means do as well as anything can.
  EXPECT_GT(plain, 0.5);
  EXPECT_NEAR(refined, plain, 0.05);
}

// Not the luckiest number of directions, but one among those that may be best; it is expected to reach as much.
TEST(Tune, StepsGoIntoTheMiddleOfTheBestSpaces) {
  Tuning tuning = tune(clouds(), BudgetSpec::zcdp(4), {.classes = 10, .records = 2000, .method = Method::mean});
  std::vector<Trial>& refined = tuning.trials;
  std::erase_if(refined, [](const Trial& trial) { return trial.hyperparameters.refine_steps == 0; });
  ASSERT_GE(refined.size(), 3u);
  const auto most_by = [&](double Trial::*value) {
    return *std::max_element(refined.begin(), refined.end(),
                             [&](const Trial& a, const Trial& b) { return a.*value < b.*value; });
  };
  const Trial chosen = most_by(&Trial::expected), luckiest = most_by(&Trial::balanced);
  EXPECT_GE(chosen.expected, luckiest.balanced);
  std::vector<size_t> near;
  for (const Trial& trial : refined) {
    if (trial.balanced >= luckiest.balanced - 0.03) near.push_back(trial.hyperparameters.transform.directions);
  }
  const auto [fewest, most] = std::minmax_element(near.begin(), near.end());
  EXPECT_GE(chosen.hyperparameters.transform.directions, *fewest);
  EXPECT_LE(chosen.hyperparameters.transform.directions, *most);
}

// Equal centres have the same nearest rows, which can play one class only.
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
  for (const Trial& trial : pure.trials) EXPECT_NE(trial.hyperparameters.method, Method::mean);
  const Tuning mean = tune(pool, BudgetSpec::zcdp(1), {.classes = 5, .method = Method::mean});
  for (const Trial& trial : mean.trials) EXPECT_EQ(trial.hyperparameters.method, Method::mean);
  // Everything it proposes can be fitted.
  for (const Tuning* tuning : {&pure, &mean}) {
    for (const Trial& trial : tuning->trials) {
      EXPECT_NO_THROW(price(trial.hyperparameters, tuning == &pure ? BudgetSpec::pure(1) : BudgetSpec::zcdp(1)));
    }
  }
}

TEST(Tune, ReachesMoreWithMoreBudgetAndRecords) {
  const PublicData pool = clouds();
  const auto best = [&](const Rational& rho, uint64_t records) {
    return tune(pool, BudgetSpec::zcdp(rho), {.classes = 10, .records = records, .method = Method::mean})
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
  testing::expect_error<InvalidInput>([&] { choose(pool, BudgetSpec::zcdp(1), {.classes = 5}); }, {"too small"});
}

// Settings of others in the cache: an estimator that publishes class counts, a share of more than the whole, a space
// that the pool does not have, a method that was not asked for.
TEST(Tune, BelievesNothingInTheCacheThatAFitWouldRefuse) {
  const OwnCache cache;
  const PublicData pool = clouds();
  const BudgetSpec budget = BudgetSpec::zcdp(Rational(1, 2));
  const TuneOptions options{.classes = 7, .records = 900, .method = Method::mean};
  const Hyperparameters honest = choose(pool, budget, options);
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cache.path())) {
    if (entry.is_regular_file()) file = entry.path();
  }
  const std::string question = nlohmann::json::parse(std::ifstream(file)).at("question");
  std::vector<Hyperparameters> crafted(6, honest);
  crafted[0].estimator = Estimator::naive;
  crafted[1].estimator = Estimator::coinpress;
  crafted[2].metric_share = 2;
  crafted[3].transform.directions = 100000;
  crafted[4].method = Method::public_one;
  crafted[5].size_share = Rational(1, 2);
  for (const Hyperparameters& settings : crafted) {
    cache_choice(question, settings);
    EXPECT_EQ(choose(pool, budget, options), honest);
  }
}

// One coordinate that never changes: a direction less, nothing else.
TEST(Tune, AConstantCoordinateIsNoObstacle) {
  const OwnCache cache;
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

TEST(Tune, RemembersAChoice) {
  const OwnCache cache;
  const PublicData pool = clouds();
  const TuneOptions options{.classes = 7, .records = 900};
  const Hyperparameters first = choose(pool, BudgetSpec::zcdp(Rational(1, 3)), options);
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::recursive_directory_iterator(cache.path())) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(files, 1u);
  EXPECT_EQ(choose(pool, BudgetSpec::zcdp(Rational(1, 3)), options), first);
  EXPECT_FALSE(cached_choice("another question").has_value());
  cache_choice("a question", first);
  EXPECT_EQ(cached_choice("a question"), first);
}

// What auto spends in two steps is the budget, to the last digit.
TEST(Auto, SpendsItsBudgetExactly) {
  const OwnCache cache;
  const PublicData pool = clouds();
  const PrivateData data = some_records();
  for (const BudgetSpec& budget : {BudgetSpec::zcdp(Rational(1, 10)), BudgetSpec::pure(Rational(3, 10)),
                                   BudgetSpec::approximate(1, Rational(1, 100000))}) {
    std::vector<std::string> models;
    for (const unsigned threads : {1u, 2u}) {
      FitOptions options;
      options.threads = threads;
      SeededRandom random(5);
      const FitPlan plan(data, &pool, options, budget);
      EXPECT_EQ(plan.hyperparameters().method, Method::automatic);
      const Model model = plan.run(Budget::unledgered(budget), random);
      EXPECT_NE(model.hyperparameters.method, Method::automatic);
      EXPECT_EQ(model.hyperparameters.size_share, kSizeShare);
      if (budget.notion == Notion::pure) {
        EXPECT_EQ(*model.guarantee.epsilon, budget.amount);
        EXPECT_NE(model.hyperparameters.method, Method::mean);
      } else {
        EXPECT_EQ(*model.guarantee.rho, Budget::unledgered(budget).rho());
      }
      EXPECT_LE(serialise_model(model).size(), plan.model_bytes());
      models.push_back(serialise_model(model));
    }
    EXPECT_EQ(models[0], models[1]) << "threads change the model";
  }
}

TEST(Auto, TakesADeclaredNumberOfRecordsForFree) {
  const OwnCache cache;
  const PublicData pool = clouds();
  const PrivateData data = some_records();
  FitOptions options;
  options.records = 400;
  const BudgetSpec budget = BudgetSpec::zcdp(Rational(1, 10));
  const FitPlan plan(data, &pool, options, budget);
  EXPECT_EQ(plan.hyperparameters().method, Method::mean);
  EXPECT_EQ(plan.hyperparameters().size_share, 0);
}

TEST(PseudoClasses, KeepTestRowsAndPoolApart) {
  const PublicData pool = clouds();
  const PublicTransform common = PublicTransform::compute(TransformSpec::parse("pca:24"), kDim, &pool);
  PseudoClasses classes(pool, common, 10, 2);
  const auto rows = classes.rows(16, 50, 2);
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
