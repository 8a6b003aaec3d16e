#include "lab/baselines/softmax_gradient.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/baselines/classifier.h"
#include "lab/baselines/means.h"
#include "support/clouds.h"

namespace dppl {
namespace {

using testing::Clouds;

std::vector<double> random_weights(size_t size, double scale, uint64_t seed = 2) {
  SeededRandom random(seed);
  std::vector<double> weights(size);
  for (double& value : weights) value = scale * normal(random);
  return weights;
}

double loss(const LabelledRows& rows, size_t i, std::span<const double> weights) {
  double sum = 0, right = 0;
  for (size_t c = 0; c < rows.classes; ++c) {
    double score = 0;
    for (size_t k = 0; k < rows.dim; ++k) score += weights[c * rows.dim + k] * double(rows.values[i * rows.dim + k]);
    sum += std::exp(score);
    if (c == rows.labels[i]) right = score;
  }
  return std::log(sum) - right;
}

// A record's gradient by central differences.
std::vector<double> gradient(const LabelledRows& rows, size_t i, std::vector<double> weights) {
  constexpr double kStep = 1e-5;
  std::vector<double> result(weights.size());
  for (size_t k = 0; k < weights.size(); ++k) {
    const double value = weights[k];
    weights[k] = value + kStep;
    result[k] = loss(rows, i, weights);
    weights[k] = value - kStep;
    result[k] = (result[k] - loss(rows, i, weights)) / (2 * kStep);
    weights[k] = value;
  }
  return result;
}

double length(std::span<const double> values) { return distance(values, std::vector<double>(values.size())); }

TEST(SoftmaxGradient, IsTheSumOfScaledGradients) {
  const Clouds clouds(6, 4, 20);
  const std::vector<double> weights = random_weights(24, 2);
  const auto odd = [](double norm) { return 1 / (1 + norm); };
  const ScaledGradient sum = scaled_gradient(clouds.rows(), weights, odd, 1);
  std::vector<double> expected(24);
  for (size_t i = 0; i < clouds.labels.size(); ++i) {
    const std::vector<double> own = gradient(clouds.rows(), i, weights);
    const double norm = length(own);
    EXPECT_NEAR(sum.norms[i], norm, 1e-5);
    EXPECT_NEAR(sum.losses[i], loss(clouds.rows(), i, weights), 1e-5);
    for (size_t k = 0; k < 24; ++k) expected[k] += odd(norm) * own[k];
  }
  for (size_t k = 0; k < 24; ++k) EXPECT_NEAR(sum.sum[k], expected[k], 1e-4);
}

TEST(SoftmaxGradient, CurvatureIsTheTraceOfTheSecondDerivative) {
  const Clouds clouds(5, 3, 4);
  const std::vector<double> weights = random_weights(15, 2);
  const ScaledGradient sum = scaled_gradient(clouds.rows(), weights, clipping(1), 1);
  for (size_t i = 0; i < clouds.labels.size(); ++i) {
    double squares = 0;
    for (uint32_t c = 0; c < 3; ++c) {
      std::vector<uint32_t> labels = clouds.labels;
      labels[i] = c;
      squares += std::exp(-2 * loss({clouds.train, 5, labels, 3}, i, weights));
    }
    EXPECT_NEAR(sum.curvatures[i], 1 - squares, 1e-5);
  }
}

// How far random neighbours are apart at most: the rows with and without one of them.
double largest_move(const std::function<double(double)>& factor) {
  const Clouds clouds(6, 4, 10);
  double largest = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const std::vector<double> weights = random_weights(24, 4, seed);
    const LabelledRows all = clouds.rows();
    const LabelledRows less{all.values.first(all.values.size() - 6), 6, all.labels.first(all.count() - 1), 4};
    const size_t shift = seed % (all.count() - 1);
    const LabelledRows rest{all.values.subspan(shift * 6), 6, all.labels.subspan(shift), 4};
    const LabelledRows rest_less{less.values.subspan(shift * 6), 6, less.labels.subspan(shift), 4};
    largest = std::max(largest, distance(scaled_gradient(rest, weights, factor, 1).sum,
                                         scaled_gradient(rest_less, weights, factor, 1).sum));
  }
  return largest;
}

TEST(SoftmaxGradient, ARecordMovesAClippedSumByTheClipAtMost) {
  const double clip = 0.4;
  EXPECT_LE(largest_move(clipping(clip)), clip * (1 + 1e-4));
  EXPECT_GT(largest_move(clipping(clip)), clip * 0.99);
  EXPECT_LE(largest_move([&](double norm) { return clip / std::max(norm, 0.7); }), clip * (1 + 1e-4));
  // The planted bug: no clipping.
  EXPECT_GT(largest_move([](double) { return 1.0; }), clip * 1.5);
}

// Written without any of the code above.
std::vector<double> descend(const LabelledRows& rows, int steps, double rate, double momentum, double decay,
                            std::vector<double>& losses) {
  std::vector<double> weights(rows.classes * rows.dim), velocity(weights.size());
  const auto n = static_cast<double>(rows.count());
  for (int t = 0; t < steps; ++t) {
    std::vector<double> sum(weights.size());
    double total = 0;
    for (size_t i = 0; i < rows.count(); ++i) {
      std::vector<double> p(rows.classes);
      double all = 0;
      for (size_t c = 0; c < rows.classes; ++c) {
        double score = 0;
        for (size_t k = 0; k < rows.dim; ++k)
          score += weights[c * rows.dim + k] * double(rows.values[i * rows.dim + k]);
        all += p[c] = std::exp(score);
      }
      for (size_t c = 0; c < rows.classes; ++c) {
        p[c] /= all;
        const double residual = p[c] - (c == rows.labels[i] ? 1 : 0);
        for (size_t k = 0; k < rows.dim; ++k) sum[c * rows.dim + k] += residual * double(rows.values[i * rows.dim + k]);
      }
      total -= std::log(p[rows.labels[i]]);
    }
    losses.push_back(total / n);
    for (size_t k = 0; k < sum.size(); ++k) {
      velocity[k] = momentum * velocity[k] + sum[k] / n + decay * weights[k];
      weights[k] -= rate * velocity[k];
    }
  }
  return weights;
}

TEST(DpSgd, WithoutNoiseAndClippingIsGradientDescent) {
  const Clouds clouds(6, 4, 50, 0.8);
  BaselineInput input = clouds.input();
  input.settings = {{"steps", 30}, {"rate", 5}, {"momentum", 0.5}, {"decay", 0.01}, {"clip", 10}};
  const BaselineResult result = testing::run("dp-sgd", input);
  std::vector<double> losses;
  const std::vector<double> weights = descend(clouds.rows(), 30, 5, 0.5, 0.01, losses);
  ASSERT_EQ(result.trace.at("loss").size(), 30u);
  for (size_t t = 0; t < 30; ++t) EXPECT_NEAR(result.trace.at("loss")[t], losses[t], 1e-4) << t;
  EXPECT_EQ(clouds.predicted(result), predict(linear_classifier(6, weights), clouds.test));
}

// With a threshold above all gradients the steps are those of gradient descent, clip/threshold times as long.
TEST(GlobalAdapt, ScalesShortGradientsAlike) {
  const Clouds clouds(6, 4, 50, 0.8);
  BaselineInput input = clouds.input();
  input.settings = {{"steps", 1}, {"rate", 6}, {"clip", 0.5}, {"threshold", 3}, {"tau", 1}, {"tail", 0.25}};
  const BaselineResult one = testing::run("global-adapt", input);
  std::vector<double> losses;
  EXPECT_EQ(clouds.predicted(one),
            predict(linear_classifier(6, descend(clouds.rows(), 1, 1, 0, 0, losses)), clouds.test));
  input.settings["steps"] = 3;
  const BaselineResult result = testing::run("global-adapt", input);
  descend(clouds.rows(), 2, 1, 0, 0, losses = {});
  EXPECT_NEAR(result.trace.at("loss")[1], losses[1], 1e-4);
  // None is longer than 3, so the threshold shrinks by exp(−tail).
  EXPECT_NEAR(result.trace.at("threshold")[1], 3 * std::exp(-0.25), 1e-12);
}

TEST(GlobalAdapt, ThresholdSettlesWhereTheTailIs) {
  const Clouds clouds(8, 4, 100, 1.0);
  BaselineInput input = clouds.input();
  input.settings = {{"steps", 80}, {"rate", 0.001}, {"tail", 0.3}, {"threshold", 4}};
  const std::vector<double> thresholds = testing::run("global-adapt", input).trace.at("threshold");
  // All gradients have about the length √(3/4) at the start, where the weights stay.
  EXPECT_NEAR(thresholds.back(), std::sqrt(0.75), 0.5);
  EXPECT_LT(thresholds.back(), 1.3);
}

}  // namespace
}  // namespace dppl
