#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dppl/model.h"
#include "support/sample_models.h"

namespace dppl {
namespace {

using Json = nlohmann::json;
using testing::all_sample_models;

void expect_words(const std::string& text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) EXPECT_NE(text.find(word), std::string::npos) << word << "\n" << text;
}

TEST(DescribeModel, FitsOnAScreen) {
  for (const auto& [name, model] : all_sample_models()) {
    const std::string text = describe_model(model);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 45) << name;
    EXPECT_TRUE(text.ends_with('\n'));
  }
}

TEST(DescribeModel, APublicModelInWords) {
  const std::string text = describe_model(testing::public_model());
  expect_words(text, {"dppl model, version 1", "3: 0, 1, 2", "4, transformed to 2", "THE GUARANTEE",
                      "Adding or removing one person's record", "e^ε = 1.106, with ε = 0.1 (pure ε-DP)",
                      "budget was ε = 0.1; neighbours: add-remove", "whiten:2", "0 17; 1 4; 2 999", "1000 rows",
                      std::string(64, 'a'), "ledger entry         none", "mechanism            exponential",
                      "clip-max             2"});
  // Costs as they are, and when a record is replaced.
  expect_words(text, {"pure ε                0.1               0.2\n",
                      "ρ-zCDP                0.00125           0.005\n", "ε at δ = 1e-5", "ε at δ = 1e-6",
                      "protects whether any one record is there, what it holds and its class"});
  EXPECT_EQ(text.find("NOT PRIVATE"), std::string::npos);
  EXPECT_EQ(text.find("class sizes are taken"), std::string::npos);
}

TEST(DescribeModel, AnApproximateBudgetIsToldAtItsDelta) {
  expect_words(describe_model(testing::public_k_model()),
               {"δ = 0.00001 on top of it, with ε = ", "((ε, δ)-DP)", "e^ε = 2.71", "Katze 0,9; Eichhörnchen 🐿 5,2",
                "clip-min             1/3", "average:2+center", "k                    2"});
}

TEST(DescribeModel, AMeanModelInWords) {
  expect_words(describe_model(testing::mean_model()),
               {"α·ρ", "ρ = 0.005 (ρ-zCDP)", "pure ε                none", "in units of 0.1", std::string(64, 'b'),
                "shrink               off"});
}

TEST(DescribeModel, EverySettingIsTold) {
  expect_words(
      describe_model(testing::refined_model()),
      {"2: no, yes", "ρ = 1/3", "prior-variance       1.5", "lift                 0.2", "refine-steps         12",
       "refine-share         1/3", "refine-rate          1/7", "tau                  0.05",
       "variance 9 in units of 0.001", "bought for 0.01 of the budget", "distance             dot"});
  expect_words(describe_model(testing::metric_model()), {"metric-share         1/7"});
}

TEST(DescribeModel, AScoreScaleIsToldWhereTheModelTellsIt) {
  Model model = testing::mean_model();
  EXPECT_EQ(describe_model(model).find("score scale"), std::string::npos);
  model.score_scale = 12.5;
  expect_words(describe_model(model), {"score scale          12.5\n"});
}

// Noisy sums and counts tell about how large a class is: only one record more or less is hidden.
TEST(DescribeModel, ClassSizesAreProtectedUpToOneRecordOnly) {
  for (const auto& [name, model] : all_sample_models()) {
    const std::string text = describe_model(model);
    const size_t limits = text.find("NOT PROTECTED");
    ASSERT_NE(limits, std::string::npos);
    expect_words(text.substr(0, limits), {"the sizes of the classes up to one record"});
    expect_words(text.substr(limits), {"About how many records each class has"});
    EXPECT_EQ(text.find("and the sizes of the classes"), std::string::npos) << name;
  }
}

TEST(DescribeModel, SeveralRecordsOfAPersonHaveAPrice) {
  constexpr const char* kRule = "A person with several records: m records together cost m times the ε, m² times the ρ";
  expect_words(describe_model(testing::public_model()), {kRule, "m² times the ρ (5 records: ε = 0.5, ρ = 0.03125).\n"});
  expect_words(describe_model(testing::mean_model()), {kRule, "m² times the ρ (5 records: ρ = 0.125).\n"});
}

TEST(DescribeModel, AModelForPeopleInWords) {
  for (const auto& [name, sample] : all_sample_models()) {
    const std::string text = describe_model(testing::for_people(sample));
    const size_t limits = text.find("NOT PROTECTED");
    ASSERT_NE(limits, std::string::npos);
    expect_words(text.substr(0, limits),
                 {"Adding or removing all records of one person", "neighbours: add-remove-person",
                  "protects whether any one person is there, and all of their records and classes",
                  "the sizes of the classes up to one person", "rounded up:   as above\n"});
    expect_words(text.substr(limits), {"About how many people each class has", "Somebody filed under two ids"});
    for (const char* word : {"A person with several records", "one record", "replaced"}) {
      EXPECT_EQ(text.find(word), std::string::npos) << name << ": " << word << "\n" << text;
    }
  }
}

TEST(DescribeModel, ASeededModelIsLoudlyNotPrivate) {
  const std::string text = describe_model(testing::seeded_model());
  expect_words(text, {"NOT PRIVATE: made with a fixed seed for tests or experiments; do not publish"});
  EXPECT_EQ(text.find("THE GUARANTEE"), std::string::npos);
}

TEST(DescribeModel, ManyAndLongNamesAreCut) {
  Model model = testing::refined_model();
  std::vector<std::string> names;
  for (int i = 0; i < 500; ++i) names.push_back("ä" + std::to_string(i) + std::string(300, 'x'));
  model.classes = ClassSet::named(names);
  const std::string text = describe_model(model);
  expect_words(text, {"500: ä0" + std::string(22, 'x') + "…, ä1"});
  EXPECT_LT(text.size(), 4000u);
}

TEST(DescribeModel, AmountsOfAnySizeAreDescribed) {
  const Rational huge(mpz_class("1" + std::string(3000, '0'))), tiny = 1 / huge;
  for (const Rational& amount : {huge, tiny}) {
    for (const BudgetSpec& budget :
         {BudgetSpec::pure(amount), BudgetSpec::zcdp(amount), BudgetSpec::approximate(amount, tiny)}) {
      Model model = testing::public_model();
      model.budget = budget;
      model.guarantee = budget.as_guarantee();
      expect_words(describe_model(model), {"THE GUARANTEE"});
      EXPECT_EQ(Json::parse(model_json(model)).at("guarantee").at("notion"), to_string(budget.notion));
    }
  }
}

TEST(ModelJson, HasTheKeysThatScriptsUse) {
  const Json json = Json::parse(model_json(testing::public_model()));
  EXPECT_EQ(json.at("method"), "public");
  EXPECT_EQ(json.at("classes"), 3);
  EXPECT_FALSE(json.contains("class_names"));
  EXPECT_EQ(json.at("dim"), 4);
  EXPECT_EQ(json.at("private"), true);
  EXPECT_EQ(json.at("unit"), "record");
  EXPECT_EQ(json.at("relation"), "add-remove");
  EXPECT_EQ(json.at("guarantee"), Json::parse(R"({"notion": "pure", "epsilon": 0.1, "delta": null,
                                                  "exact": {"epsilon": "0.1", "delta": null}})"));
  EXPECT_EQ(json.at("also").at("rho"), 0.00125);
  EXPECT_EQ(json.at("also").at("replace_one").at("epsilon"), 0.2);
  EXPECT_EQ(json.at("also").at("replace_one").at("rho"), 0.005);
  EXPECT_EQ(json.at("also").at("epsilon_at").at(1).at("delta"), 1e-6);
  EXPECT_LE(json.at("also").at("epsilon_at").at(1).at("epsilon"), 0.1);
  EXPECT_EQ(json.at("hyperparameters").at("transform"), "whiten:2");
  EXPECT_EQ(json.at("hyperparameters").at("mechanism"), "exponential");
  EXPECT_EQ(json.at("pool"), Json({{"digest", std::string(64, 'a')}, {"rows", 1000}, {"dim", 4}}));
  EXPECT_EQ(json.at("prototypes").at(2), Json::parse(R"({"class": 2, "name": "2", "pool_indices": [999]})"));
  EXPECT_TRUE(json.at("ledger_entry").is_null());
  EXPECT_EQ(json.at("version"), 1);
}

TEST(ModelJson, TellsThatAModelIsForPeople) {
  const Json json = Json::parse(model_json(testing::for_people(testing::public_model())));
  EXPECT_EQ(json.at("unit"), "person");
  EXPECT_EQ(json.at("relation"), "add-remove-person");
  EXPECT_EQ(json.at("guarantee").at("epsilon"), 0.1);
  EXPECT_TRUE(json.at("also").at("replace_one").is_null());
}

// Whoever has scores can make probabilities of them.
TEST(ModelJson, TellsTheScoreScaleThatIsUsed) {
  Model model = testing::mean_model();
  EXPECT_EQ(Json::parse(model_json(model)).at("score_scale"), 15.0);
  model.score_scale = 12.5;
  EXPECT_EQ(Json::parse(model_json(model)).at("score_scale"), 12.5);
}

TEST(ModelJson, OtherKindsOfModels) {
  const Json k = Json::parse(model_json(testing::public_k_model()));
  EXPECT_EQ(k.at("class_names"), Json({"Katze", "Eichhörnchen 🐿"}));
  EXPECT_EQ(k.at("guarantee").at("notion"), "approximate");
  EXPECT_EQ(k.at("guarantee").at("exact").at("delta"), "0.00001");
  EXPECT_LE(k.at("guarantee").at("epsilon"), 1.0);
  EXPECT_EQ(k.at("prototypes").at(1).at("pool_indices"), Json({5, 2}));
  EXPECT_EQ(k.at("hyperparameters").at("k"), 2);

  const Json seeded = Json::parse(model_json(testing::seeded_model()));
  EXPECT_EQ(seeded.at("private"), false);
  EXPECT_EQ(seeded.at("guarantee").at("rho"), 0.005);
  EXPECT_TRUE(seeded.at("pool").is_null());
  EXPECT_FALSE(seeded.at("prototypes").at(0).contains("pool_indices"));
  EXPECT_EQ(seeded.at("ledger_entry"), std::string(64, 'b'));

  const Json refined = Json::parse(model_json(testing::refined_model()));
  EXPECT_EQ(refined.at("hyperparameters").at("prior_variance"), 1.5);
  EXPECT_EQ(refined.at("hyperparameters").at("refine_steps"), 12);
  EXPECT_EQ(refined.at("hyperparameters").at("shrink"), true);
  EXPECT_EQ(refined.at("hyperparameters").at("size_share"), 0.01);
  EXPECT_EQ(refined.at("hyperparameters").at("distance"), "dot");
  EXPECT_EQ(refined.at("guarantee").at("exact").at("rho"), "1/3");
  // Rounded up, so that the printed number is a guarantee.
  EXPECT_EQ(refined.at("guarantee").at("rho"), 0.333333333333334);
}

}  // namespace
}  // namespace dppl
