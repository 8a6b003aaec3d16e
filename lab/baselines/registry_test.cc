#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "dppl/error.h"
#include "lab/baselines/settings.h"
#include "support/clouds.h"
#include "support/expect_error.h"

namespace dppl {
namespace {

using testing::Clouds;
using testing::expect_error;
using testing::run;

BaselineInput with(BaselineInput input, BaselineSettings settings) {
  input.settings = std::move(settings);
  return input;
}

TEST(Baselines, AreFoundByName) {
  std::set<std::string_view> names;
  for (const Baseline& baseline : baselines()) {
    EXPECT_TRUE(names.insert(baseline.name).second) << baseline.name;
    EXPECT_EQ(&find_baseline(baseline.name), &baseline);
    EXPECT_FALSE(baseline.words.empty());
  }
  EXPECT_FALSE(names.empty());
  expect_error<InvalidInput>([] { find_baseline("dp-film"); }, {"'dp-film' is not a baseline"});
}

TEST(Baselines, DefaultsKeepToTheRules) {
  std::set<std::string> used;
  for (const Baseline& baseline : baselines()) {
    EXPECT_EQ(complete_settings(baseline, baseline.defaults), baseline.defaults);
    for (const auto& [name, value] : baseline.defaults) used.insert(name);
  }
  EXPECT_EQ(used.size(), setting_rules().size()) << "a rule that no baseline uses";
}

// Better than guessing without noise, the whole budget spent with it.
TEST(Baselines, LearnAndSpendTheirBudget) {
  const Clouds clouds(16, 5, 60, 0.3);
  BaselineInput input = clouds.input();
  for (const Baseline& baseline : baselines()) {
    if (baseline.defaults.contains("dim")) input.settings["dim"] = 8;
    input.rho.reset();
    const BaselineResult exact = run(baseline.name, input);
    EXPECT_EQ(exact.rho_spent, 0) << baseline.name;
    EXPECT_GT(clouds.accuracy(clouds.predicted(exact)), 0.9) << baseline.name;
    input.rho = 0.3;
    const BaselineResult noisy = run(baseline.name, input);
    EXPECT_EQ(clouds.predicted(noisy).size(), clouds.test_labels.size());
    EXPECT_LE(noisy.rho_spent, baseline.is_private ? 0.3 : 0) << baseline.name;
    EXPECT_NEAR(noisy.rho_spent, baseline.is_private ? 0.3 : 0, 1e-9) << baseline.name;
    EXPECT_EQ(clouds.predicted(run(baseline.name, input)), clouds.predicted(noisy)) << "the same seed";
    if (baseline.is_private) {
      input.rho = 1e-7;
      EXPECT_LT(clouds.accuracy(clouds.predicted(run(baseline.name, input))), 0.5)
          << baseline.name << " ignores its noise";
    }
    input.settings.clear();
  }
}

TEST(Baselines, PublicGuessOfTheCountLeavesTheBudgetToTheSteps) {
  const Clouds clouds(8, 3, 40);
  for (const char* name : {"dp-sgd", "global-adapt", "dp-fc", "dp-newton"}) {
    BaselineInput input = with(clouds.input(), {{"records", 100}, {"steps", 3}});
    input.rho = 0.7;
    EXPECT_NEAR(run(name, input).rho_spent, 0.7, 1e-9) << name;
  }
}

// More than one block of rows, so that blocks do meet different threads.
TEST(Baselines, ThreadsDoNotChangeResults) {
  const Clouds clouds(8, 4, 700);
  BaselineInput input = clouds.input();
  input.rho = 2;
  for (const Baseline& baseline : baselines()) {
    if (baseline.defaults.contains("dim")) input.settings["dim"] = 4;
    if (baseline.defaults.contains("steps")) input.settings["steps"] = 3;
    input.threads = 1;
    const BaselineResult one = run(baseline.name, input);
    input.threads = 3;
    const BaselineResult three = run(baseline.name, input);
    EXPECT_EQ(clouds.predicted(one), clouds.predicted(three)) << baseline.name;
    EXPECT_EQ(one.trace, three.trace) << baseline.name;
    input.settings.clear();
  }
}

TEST(Baselines, SmallAndEmptyClassesDoNotBreakThem) {
  const Clouds clouds(8, 4, 30);
  std::vector<uint32_t> labels = clouds.labels;
  for (uint32_t& label : labels) label = label == 3 ? 1 : label;
  labels[0] = 2;
  BaselineInput input = clouds.input();
  input.train.labels = labels;
  input.train.classes = 6;
  for (const Baseline& baseline : baselines()) {
    if (baseline.defaults.contains("dim")) input.settings["dim"] = 4;
    for (const std::optional<double> rho : {std::optional<double>(), std::optional<double>(0.1)}) {
      input.rho = rho;
      for (const uint32_t label : clouds.predicted(run(baseline.name, input))) EXPECT_LT(label, 6u) << baseline.name;
    }
    input.settings.clear();
  }
}

// Whatever else is predicted with it, and by however many threads.
TEST(Baselines, PredictEachRowForItself) {
  const Clouds clouds(8, 4, 300);
  BaselineInput input = clouds.input();
  for (const Baseline& baseline : baselines()) {
    if (baseline.defaults.contains("dim")) input.settings["dim"] = 4;
    const BaselineClassifier classifier = run(baseline.name, input).classifier;
    const std::vector<uint32_t> all = predict(classifier, clouds.test, 3);
    for (const size_t i : {size_t{0}, size_t{517}}) {
      EXPECT_EQ(predict(classifier, std::span(clouds.test).subspan(i * 8, 8)), std::vector{all[i]}) << baseline.name;
    }
    EXPECT_TRUE(predict(classifier, {}).empty()) << baseline.name;
    input.settings.clear();
  }
}

TEST(Baselines, RefuseToPredictRowsThatDoNotFit) {
  const Clouds clouds(4, 2, 5);
  std::vector<float> bad = clouds.test;
  bad[8] = NAN;
  for (const char* name : {"ridge", "nearest-neighbour"}) {
    const BaselineClassifier classifier = run(name, clouds.input()).classifier;
    expect_error<InvalidInput>([&] { predict(classifier, bad); }, {"rows to predict: row 2", "length"});
    expect_error<InvalidInput>([&] { predict(classifier, std::span(bad).first(7)); }, {"rows to predict", "7"});
  }
}

TEST(Baselines, ReportTheirStepsAndCanBeStopped) {
  const Clouds clouds(8, 3, 40);
  for (const Baseline& baseline : baselines()) {
    if (!baseline.defaults.contains("steps") || baseline.name == "coinpress-mean") continue;
    BaselineInput input = with(clouds.input(), {{"steps", 4}});
    if (baseline.defaults.contains("dim")) input.settings["dim"] = 4;
    std::vector<double> told;
    input.progress = [&](double fraction) { told.push_back(fraction); };
    run(baseline.name, input);
    EXPECT_TRUE(std::ranges::is_sorted(told)) << baseline.name;
    EXPECT_EQ(told.back(), 1) << baseline.name;
    input.progress = [](double) { throw std::runtime_error("stopped"); };
    EXPECT_THROW(run(baseline.name, input), std::runtime_error) << baseline.name;
  }
}

TEST(Baselines, RefuseBadSettings) {
  const auto refused = [](std::string_view name, const BaselineSettings& settings,
                          std::initializer_list<std::string_view> words) {
    const Clouds clouds(4, 2, 5);
    expect_error<InvalidInput>([&] { run(name, with(clouds.input(), settings)); }, words);
  };
  refused("dp-sgd", {{"stpes", 3}}, {"dp-sgd", "stpes", "steps", "rate"});
  refused("class-mean", {{"k", 3}}, {"class-mean", "k", "none"});
  refused("dp-sgd", {{"steps", 2.5}}, {"steps", "2.5", "whole number", "at least 1"});
  refused("dp-sgd", {{"steps", 0}}, {"steps", "at least 1"});
  refused("dp-sgd", {{"rate", NAN}}, {"rate", "above 0"});
  refused("dp-sgd", {{"clip", 0}}, {"clip", "above 0"});
  refused("dp-sgd", {{"momentum", 1}}, {"momentum", "below 1"});
  refused("global-adapt", {{"share", 1}}, {"share", "below 1"});
  refused("dp-ls", {{"lambda", -1}}, {"lambda", "above 0"});
  refused("dp-ls", {{"per_class", 0.5}}, {"per_class", "whole"});
  refused("friendly-core-mean", {{"delta", 0}}, {"delta", "above 0"});
  refused("projection-mean", {{"dim", 5}}, {"dim is 5", "at most", "4"});
  refused("projection-mean", {{"dim", 2}, {"share", 0.2}, {"count_share", 0.3}}, {"count_share", "below share"});
  refused("projection-public", {{"dim", 2}, {"clip_min", 0.5}, {"clip_max", 0.5}}, {"clip_min", "below clip_max"});
  refused("nearest-neighbour", {{"k", 0}}, {"k is 0", "at least 1"});
}

TEST(Baselines, RefuseRowsThatDoNotFit) {
  const Clouds clouds(4, 2, 5);
  const auto refused = [&](auto change, std::initializer_list<std::string_view> words) {
    BaselineInput input = clouds.input();
    change(input);
    expect_error<InvalidInput>([&] { run("projection-public", input); }, words);
  };
  std::vector<float> far = clouds.train;
  far[5] = 3;
  refused([](BaselineInput& input) { input.train.dim = 0; }, {"dimension"});
  refused([](BaselineInput& input) { input.train.dim = 5; }, {"40 values", "10 labels"});
  refused([](BaselineInput& input) { input.train.classes = 1; }, {"row 1", "class 1", "0 to 0"});
  refused([](BaselineInput& input) { input.train.classes = 0; }, {"classes"});
  refused([](BaselineInput& input) { input.train.labels = {}; }, {"none"});
  refused([&](BaselineInput& input) { input.train.values = far; }, {"training rows: row 1", "length 1"});
  refused([](BaselineInput& input) { input.pool = input.pool.first(7); }, {"pool rows", "7"});
  refused([](BaselineInput& input) { input.pool = {}, input.settings["dim"] = 2; }, {"pool"});
  refused([](BaselineInput& input) { input.rho = 0; }, {"rho is 0", "above 0"});
}

}  // namespace
}  // namespace dppl
