#include "lab/baselines/means.h"

#include <gtest/gtest.h>

#include "support/clouds.h"

namespace dppl {
namespace {

using testing::Clouds;
using testing::run;

std::vector<uint32_t> nearest_mean(const Clouds& clouds) {
  std::vector<double> sums(clouds.classes * clouds.dim);
  for (size_t i = 0; i < clouds.labels.size(); ++i) {
    for (size_t k = 0; k < clouds.dim; ++k) {
      sums[clouds.labels[i] * clouds.dim + k] += double(clouds.train[i * clouds.dim + k]);
    }
  }
  std::vector<uint32_t> result;
  for (size_t i = 0; i < clouds.test_labels.size(); ++i) {
    double best = -2;
    uint32_t which = 0;
    for (uint32_t c = 0; c < clouds.classes; ++c) {
      double dot = 0, squares = 0;
      for (size_t k = 0; k < clouds.dim; ++k) {
        dot += sums[c * clouds.dim + k] * double(clouds.test[i * clouds.dim + k]);
        squares += sums[c * clouds.dim + k] * sums[c * clouds.dim + k];
      }
      if (dot / std::sqrt(squares) > best) {
        best = dot / std::sqrt(squares);
        which = c;
      }
    }
    result.push_back(which);
  }
  return result;
}

TEST(Means, WithoutNoiseAreClassMeans) {
  const Clouds clouds(12, 5, 40, 0.6);
  const std::vector<uint32_t> expected = nearest_mean(clouds);
  for (const char* name : {"class-mean", "naive-mean", "coinpress-mean"}) {
    EXPECT_EQ(clouds.predicted(run(name, clouds.input())), expected) << name;
  }
  BaselineInput input = clouds.input();
  input.settings = {{"radius", 2}};  // all are friends
  EXPECT_EQ(clouds.predicted(run("friendly-core-mean", input)), expected);
}

TEST(ClippedSum, ReplacingARecordMovesItByTwiceTheClipAtMost) {
  const Clouds clouds(6, 2, 30, 1.0);
  const std::vector<double> centre = {0.3, -0.2, 0.1, 0, 0, 0.4};
  const auto largest_move = [&](double clip) {
    double largest = 0;
    for (size_t i = 0; i < 20; ++i) {
      std::vector<float> rows(clouds.train.begin(), clouds.train.begin() + 30);
      const std::vector<double> before = clipped_sum(rows, centre, clip);
      for (size_t k = 0; k < 6; ++k) rows[k] = clouds.test[i * 6 + k];
      largest = std::max(largest, distance(before, clipped_sum(rows, centre, clip)));
    }
    return largest;
  };
  EXPECT_LE(largest_move(0.2), 0.4 + 1e-9);
  EXPECT_GT(largest_move(0.2), 0.3);
  EXPECT_GT(largest_move(INFINITY), 0.4);  // the planted bug: no clipping
}

TEST(CoinPress, RadiusShrinksWithBudgetAndDivergesWithout) {
  const Clouds clouds(16, 3, 400, 0.3);
  BaselineInput input = clouds.input();
  input.rho = 10;
  const BaselineResult good = run("coinpress-mean", input);
  ASSERT_EQ(good.trace.at("radius").size(), 3u);
  EXPECT_LT(good.trace.at("radius").back(), 0.3);
  EXPECT_LT(good.trace.at("error").back(), good.trace.at("radius").back());
  input.rho = 1e-5;
  const BaselineResult bad = run("coinpress-mean", input);
  EXPECT_GT(bad.trace.at("radius")[2], 10 * bad.trace.at("radius")[0]);
}

// Class 0 is one tight group and three rows far from it; those are not friends of most.
TEST(FriendlyCore, LeavesOutliersOut) {
  std::vector<float> train, test = {1, 0, 0.6f, 0.8f};
  std::vector<uint32_t> labels;
  const auto add = [&](double angle, uint32_t label) {
    train.push_back(static_cast<float>(std::cos(angle)));
    train.push_back(static_cast<float>(std::sin(angle)));
    labels.push_back(label);
  };
  for (int i = 0; i < 10; ++i) add(0.01 * i, 0);
  for (int i = 0; i < 9; ++i) add(2.5, 0);
  for (int i = 0; i < 10; ++i) add(0.9, 1);
  BaselineInput input{.train = {train, 2, labels, 2}, .settings = {{"radius", 0.3}}};
  EXPECT_EQ(predict(run("friendly-core-mean", input).classifier, test), (std::vector<uint32_t>{0, 1}));
  // With the outliers the mean of class 0 is further from (1, 0) than class 1 is.
  input.settings.clear();
  EXPECT_EQ(predict(run("class-mean", input).classifier, test)[0], 1u);
}

TEST(FriendlyCore, FindsLargeClassesAndGivesUpOnSmallOnes) {
  const Clouds clouds(8, 3, 600, 0.2);
  BaselineInput input = clouds.input();
  input.rho = 1;
  const BaselineResult large = run("friendly-core-mean", input);
  EXPECT_EQ(large.trace.at("classes"), std::vector<double>{3});
  EXPECT_GT(clouds.accuracy(clouds.predicted(large)), 0.95);
  const Clouds few(8, 3, 5, 0.2);
  BaselineInput small = few.input();
  small.rho = 1;
  EXPECT_EQ(run("friendly-core-mean", small).trace.at("classes"), std::vector<double>{0});
}

}  // namespace
}  // namespace dppl
