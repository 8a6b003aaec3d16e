#include "lab/baselines/projection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "lab/baselines/means.h"
#include "support/clouds.h"

namespace dppl {
namespace {

using testing::Clouds;
using testing::run;

constexpr size_t kDim = 5, kInner = 3, kClasses = 4;

std::vector<double> numbers(size_t size, double scale, uint64_t seed) {
  SeededRandom random(seed);
  std::vector<double> values(size);
  for (double& value : values) value = scale * normal(random);
  return values;
}

std::vector<double> project(std::span<const double> p, auto at) {
  std::vector<double> result(kInner);
  for (size_t j = 0; j < kInner; ++j) {
    for (size_t k = 0; k < kDim; ++k) result[j] += p[j * kDim + k] * at(k);
  }
  return result;
}

double loss(const LabelledRows& rows, size_t i, std::span<const double> p, std::span<const double> m, double scale) {
  const auto u = project(p, [&](size_t k) { return double(rows.values[i * kDim + k]); });
  double sum = 0, right = 0;
  for (size_t c = 0; c < kClasses; ++c) {
    const auto v = project(p, [&](size_t k) { return m[c * kDim + k]; });
    double score = 0;
    for (size_t j = 0; j < kInner; ++j) score += scale * u[j] * v[j];
    sum += std::exp(score);
    if (c == rows.labels[i]) right = score;
  }
  return std::log(sum) - right;
}

TEST(ProjectionGradient, IsTheSumOfClippedGradients) {
  const Clouds clouds(kDim, kClasses, 10);
  std::vector<double> p = numbers(kInner * kDim, 0.7, 1);
  const std::vector<double> m = numbers(kClasses * kDim, 0.5, 2);
  constexpr double kScale = 3, kClip = 1.5, kStep = 1e-5;
  const ProjectionGradient sum = projection_gradient(clouds.rows(), p, m, kScale, kClip, 1);
  std::vector<double> expected(p.size());
  bool clipped = false, whole = false;
  for (size_t i = 0; i < clouds.labels.size(); ++i) {
    std::vector<double> own(p.size());
    for (size_t k = 0; k < p.size(); ++k) {
      const double value = p[k];
      p[k] = value + kStep;
      own[k] = loss(clouds.rows(), i, p, m, kScale);
      p[k] = value - kStep;
      own[k] = (own[k] - loss(clouds.rows(), i, p, m, kScale)) / (2 * kStep);
      p[k] = value;
    }
    const double norm = distance(own, std::vector<double>(own.size()));
    EXPECT_NEAR(sum.norms[i], norm, 1e-4);
    EXPECT_NEAR(sum.losses[i], loss(clouds.rows(), i, p, m, kScale), 1e-4);
    (norm > kClip ? clipped : whole) = true;
    for (size_t k = 0; k < p.size(); ++k) expected[k] += std::min(1.0, kClip / norm) * own[k];
  }
  EXPECT_TRUE(clipped && whole) << "the test needs both kinds";
  for (size_t k = 0; k < p.size(); ++k) EXPECT_NEAR(sum.sum[k], expected[k], 1e-3);
}

TEST(ProjectionGradient, ARecordMovesItByTheClipAtMost) {
  const Clouds clouds(kDim, kClasses, 10);
  const auto largest_move = [&](double clip) {
    double largest = 0;
    for (uint64_t seed = 0; seed < 30; ++seed) {
      const std::vector<double> p = numbers(kInner * kDim, 1, seed), m = numbers(kClasses * kDim, 0.5, seed + 100);
      const LabelledRows all = clouds.rows();
      const LabelledRows less{all.values.subspan(kDim), kDim, all.labels.subspan(1), kClasses};
      largest = std::max(largest, distance(projection_gradient(all, p, m, 3, clip, 1).sum,
                                           projection_gradient(less, p, m, 3, clip, 1).sum));
    }
    return largest;
  };
  EXPECT_LE(largest_move(0.5), 0.5 * (1 + 1e-4));
  EXPECT_GT(largest_move(1e6), 1);  // the planted bug: no clipping
}

TEST(Projection, TrainingLowersTheLoss) {
  const Clouds clouds(16, 4, 50, 0.7);
  for (const bool with_pool : {true, false}) {
    BaselineInput input = clouds.input();
    if (!with_pool) input.pool = {};
    input.settings = {{"dim", 3}, {"steps", 20}};
    const std::vector<double> losses = run("projection-mean", input).trace.at("loss");
    EXPECT_LT(losses.back(), 0.9 * losses.front());
  }
}

// No noise and as many dimensions as there are: a rotation, which changes no cosine.
TEST(Projection, OfAllDimensionsIsTheMethodItself) {
  const Clouds clouds(6, 3, 40, 0.7);
  BaselineInput input = clouds.input();
  input.settings = {{"dim", 6}, {"steps", 1}, {"rate", 1e-9}};
  EXPECT_EQ(clouds.predicted(run("projection-mean", input)), clouds.predicted(run("class-mean", clouds.input())));

  // The best public row of each class by clipped cosines, by hand.
  input.settings["clip_min"] = 0.2;
  input.settings["clip_max"] = 0.9;
  std::vector<std::vector<float>> best(3);
  const size_t many = clouds.pool.size() / 6;
  const auto cosine = [](const float* a, const float* b) { return std::inner_product(a, a + 6, b, 0.0); };
  for (size_t c = 0; c < 3; ++c) {
    double highest = -1;
    for (size_t j = 0; j < many; ++j) {
      double sum = 0;
      for (size_t i = 0; i < clouds.labels.size(); ++i) {
        if (clouds.labels[i] == c) {
          sum += std::clamp(cosine(&clouds.train[i * 6], &clouds.pool[j * 6]), 0.2, 0.9) - 0.2;
        }
      }
      if (sum > highest) {
        highest = sum;
        best[c].assign(&clouds.pool[j * 6], &clouds.pool[j * 6] + 6);
      }
    }
  }
  std::vector<uint32_t> expected;
  for (size_t i = 0; i < clouds.test_labels.size(); ++i) {
    uint32_t which = 0;
    for (uint32_t c = 1; c < 3; ++c) {
      if (cosine(&clouds.test[i * 6], best[c].data()) > cosine(&clouds.test[i * 6], best[which].data())) which = c;
    }
    expected.push_back(which);
  }
  EXPECT_EQ(clouds.predicted(run("projection-public", input)), expected);
}

}  // namespace
}  // namespace dppl
