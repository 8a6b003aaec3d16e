#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "dppl/error.h"
#include "dppl/fit.h"
#include "methods/choice_cache.h"
#include "support/expect_error.h"
#include "support/tuning_pool.h"

namespace dppl {
namespace {

using namespace testing;

struct OwnCache {
  std::map<std::string, std::string> answers;
  int found = 0;

  ChoiceCache choices() {
    return {.find = [this](const std::string& key) -> std::optional<std::string> {
              const auto answer = answers.find(key);
              if (answer == answers.end()) return std::nullopt;
              ++found;
              return answer->second;
            },
            .keep = [this](const std::string& key, const std::string& answer) { answers[key] = answer; }};
  }
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

TEST(Choose, RemembersAChoice) {
  OwnCache cache;
  const PublicData pool = clouds();
  const TuneOptions options{.classes = 7, .records = 900};
  const Settings first = choose(pool, BudgetSpec::zcdp(Rational(1, 3)), options, cache.choices());
  EXPECT_EQ(cache.answers.size(), 1u);
  EXPECT_EQ(choose(pool, BudgetSpec::zcdp(Rational(1, 3)), options, cache.choices()), first);
  EXPECT_EQ(cache.found, 1) << "it was asked for, not tuned again";
  EXPECT_FALSE(cached_choice(cache.choices(), "another question").has_value());
  cache_choice(cache.choices(), "a question", first);
  EXPECT_EQ(cached_choice(cache.choices(), "a question"), first);
  testing::expect_error<InvalidInput>([&] { choose(clouds(100), BudgetSpec::zcdp(1), {.classes = 5}); }, {"too small"});
}

// Settings of others in the cache: an estimator that publishes class counts, a share of more than the whole, a space
// that the pool does not have, a method that was not asked for.
TEST(Choose, BelievesNothingInTheCacheThatAFitWouldRefuse) {
  OwnCache cache;
  const PublicData pool = clouds();
  const BudgetSpec budget = BudgetSpec::zcdp(Rational(1, 2));
  const TuneOptions options{.classes = 7, .records = 900, .method = "mean"};
  const Settings honest = choose(pool, budget, options, cache.choices());
  const auto original = nlohmann::json::parse(cache.answers.begin()->second);
  const std::vector<std::pair<const char*, nlohmann::json>> crafted = {
      {"estimator", "naive"}, {"estimator", "coinpress"}, {"metric_share", "2"},     {"transform", "whiten:100000"},
      {"method", "public"},   {"method", "auto"},         {"refine_share", "2"},     {"distance", "euclidean"},
      {"clip_min", 7},        {"prior-variance", "-1"},   {"refine_steps", 1000000}, {"method", nullptr}};
  for (const auto& [key, value] : crafted) {
    nlohmann::json answer = original;
    answer["choice"][key] = value;
    cache.answers.begin()->second = answer.dump();
    EXPECT_EQ(choose(pool, budget, options, cache.choices()), honest) << key;
  }
  for (const char* text : {"", "{", "[]", "null", R"({"question": 3})"}) {
    cache.answers.begin()->second = text;
    EXPECT_EQ(choose(pool, budget, options, cache.choices()), honest) << text;
  }
}

// What auto spends in two steps is the budget, to the last digit.
TEST(Auto, SpendsItsBudgetExactly) {
  const PublicData pool = clouds();
  const PrivateData data = some_records();
  for (const BudgetSpec& budget : {BudgetSpec::zcdp(Rational(1, 10)), BudgetSpec::pure(Rational(3, 10)),
                                   BudgetSpec::approximate(1, Rational(1, 100000))}) {
    std::vector<std::string> models;
    for (const unsigned threads : {1u, 2u}) {
      FitOptions options;
      options.threads = threads;
      SeededRandom random(5);
      const FitPlan plan(data, pool, options, budget);
      EXPECT_TRUE(is_auto(plan.settings()));
      const Model model = plan.run(Budget::unledgered(budget), random);
      EXPECT_FALSE(is_auto(model.settings));
      EXPECT_EQ(model.size_share, kSizeShare);
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

TEST(Auto, TakesADeclaredNumberOfRecordsForFree) {
  const PublicData pool = clouds();
  const PrivateData data = some_records();
  FitOptions options;
  options.settings = AutoSettings{.records = 400};
  const BudgetSpec budget = BudgetSpec::zcdp(Rational(1, 10));
  const FitPlan plan(data, pool, options, budget);
  EXPECT_EQ(method_name(plan.settings()), "mean");
  SeededRandom random(6);
  EXPECT_EQ(plan.run(Budget::unledgered(budget), random).size_share, 0);
}

}  // namespace
}  // namespace dppl
