#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/baselines/softmax_gradient.h"
#include "support/clouds.h"

namespace dppl {
namespace {

using testing::Clouds;
using testing::run;

TEST(NearestNeighbour, IsTheVoteOfTheNearest) {
  const Clouds clouds(6, 4, 30, 1.0);
  for (const size_t k : {size_t{1}, size_t{7}}) {
    std::vector<uint32_t> expected;
    for (size_t i = 0; i < clouds.test_labels.size(); ++i) {
      std::vector<std::pair<double, uint32_t>> near;
      for (size_t j = 0; j < clouds.labels.size(); ++j) {
        const double cosine =
            std::inner_product(&clouds.test[i * 6], &clouds.test[i * 6] + 6, &clouds.train[j * 6], 0.0);
        near.push_back({-cosine, clouds.labels[j]});
      }
      std::sort(near.begin(), near.end());
      std::vector<std::pair<int, double>> votes(4);
      for (size_t j = 0; j < k; ++j) {
        votes[near[j].second].first += 1;
        votes[near[j].second].second -= near[j].first;
      }
      expected.push_back(static_cast<uint32_t>(std::max_element(votes.begin(), votes.end()) - votes.begin()));
    }
    BaselineInput input = clouds.input();
    input.settings = {{"k", static_cast<double>(k)}};
    EXPECT_EQ(clouds.predicted(run("nearest-neighbour", input)), expected) << k;
  }
}

TEST(LogisticRegression, ReachesTheMinimum) {
  const Clouds clouds(6, 3, 60, 1.0);
  constexpr double kDecay = 0.01;
  // Plain gradient descent for long; the penalised loss bends at most by 1/2 + decay.
  std::vector<double> weights(18);
  double loss = 0;
  for (int t = 0; t < 3000; ++t) {
    const ScaledGradient gradient = scaled_gradient(
        clouds.rows(), weights, [](double) { return 1.0; }, 1);
    loss = std::accumulate(gradient.losses.begin(), gradient.losses.end(), 0.0) / 180 +
           kDecay / 2 * std::inner_product(weights.begin(), weights.end(), weights.begin(), 0.0);
    for (size_t k = 0; k < 18; ++k) weights[k] -= (gradient.sum[k] / 180 + kDecay * weights[k]) / 0.51;
  }
  BaselineInput input = clouds.input();
  input.settings = {{"decay", kDecay}};
  const BaselineResult result = run("logistic-regression", input);
  EXPECT_NEAR(result.trace.at("loss").back(), loss, 1e-5);
  EXPECT_LT(result.trace.at("gradient").back(), 1e-3 * result.trace.at("gradient").front());
  EXPECT_LT(result.trace.at("loss").size(), 200u);
}

// Without noise the methods of second order come near that minimum in fewer steps than plain gradients do.
TEST(SecondOrder, ConvergesFasterThanGradients) {
  const Clouds clouds(12, 4, 100, 0.6);
  const auto loss_after = [&](const char* name, const BaselineSettings& settings) {
    BaselineInput input = clouds.input();
    input.settings = settings;
    return run(name, input).trace.at("loss").back();
  };
  const double plain = loss_after("dp-sgd", {{"steps", 11}, {"rate", 2}, {"clip", 10}});
  EXPECT_LT(loss_after("dp-fc", {{"steps", 11}, {"rate", 2}, {"clip", 10}, {"lambda", 0.001}}), plain);
  EXPECT_LT(loss_after("dp-newton", {{"steps", 11}, {"rate", 2}, {"clip", 10}, {"lambda", 0.001}}), plain);
}

}  // namespace
}  // namespace dppl
