#include "estimation/confidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "estimation/prototype_scaling.h"
#include "support/atoms.h"

namespace dppl {
namespace {

using namespace testing;

constexpr double kPriorVariance = 3, kScale = 15;
constexpr size_t kClasses = 20;

// Classes whose means lie around atoms, the prototypes of their noisy sums, and records that lie about them as public
// rows about their atoms.
struct World {
  World(double sigma, uint64_t seed) : random(seed), pool(make_pool()), prior(PoolPrior::of(pool.rows, kDim, 1)) {
    std::vector<double> sums;
    for (size_t c = 0; c < kClasses; ++c) {
      std::vector<double> mean = pool.atoms[c];
      for (size_t k = 0; k < kDim; ++k) {
        mean[k] += std::sqrt(kPriorVariance * prior.variances[k]) * normal(random);
        sums.push_back(10 * mean[k] + sigma * normal(random));
      }
      means.push_back(mean);
    }
    known = posterior(sums, sigma, prior, kPriorVariance, 1);
    const std::vector<double> compared = compared_whiter(known.means, prior.variances);
    prototypes.assign(compared.begin(), compared.end());
  }

  double factor(unsigned threads = 1) const {
    return confidence(prototypes, kScale, known, prior, kPriorVariance, threads);
  }

  // By how much the classifier is more sure than it is right, with its scores times `factor`.
  double too_sure(double factor) {
    constexpr int kRecords = 4000;
    double sure = 0, right = 0;
    for (int i = 0; i < kRecords; ++i) {
      const size_t c = random.next64() % kClasses;
      const size_t r = random.next64() % (pool.rows.size() / kDim);
      const std::vector<double> like(pool.rows.begin() + static_cast<std::ptrdiff_t>(r * kDim),
                                     pool.rows.begin() + static_cast<std::ptrdiff_t>((r + 1) * kDim));
      const std::vector<double>& atom = pool.atoms[r / 20];
      const double near = cosine(like, atom), length = std::sqrt(squared_length(means[c]));
      std::vector<double> row(kDim), scores(kClasses);
      for (size_t k = 0; k < kDim; ++k) row[k] = near * means[c][k] / length + like[k] - near * atom[k];
      const double row_length = std::sqrt(squared_length(row));
      double total = 0;
      for (size_t b = 0; b < kClasses; ++b) {
        for (size_t k = 0; k < kDim; ++k) scores[b] += double{prototypes[b * kDim + k]} * row[k] / row_length;
        total += std::exp(factor * kScale * scores[b]);
      }
      const auto best = std::max_element(scores.begin(), scores.end());
      sure += std::exp(factor * kScale * *best) / total / kRecords;
      right += static_cast<size_t>(best - scores.begin()) == c ? 1.0 / kRecords : 0;
    }
    return sure - right;
  }

  static double squared_length(const std::vector<double>& row) {
    double squares = 0;
    for (const double value : row) squares += value * value;
    return squares;
  }

  SeededRandom random;
  Pool pool;
  PoolPrior prior;
  std::vector<std::vector<double>> means;
  Posterior known;
  std::vector<float> prototypes;
};

// n = 8 worlds of 4000 records each; the mean over one world varies by at most 0.01, worlds by 0.03.
TEST(Confidence, IsNotTooSureWhereSumsSayLittle) {
  constexpr int kWorlds = 8;
  for (const double sigma : {20.0, 30.0, 60.0}) {
    double with = 0, without = 0;
    for (uint64_t seed = 0; seed < kWorlds; ++seed) {
      World world(sigma, seed);
      with += world.too_sure(world.factor()) / kWorlds;
      without += world.too_sure(1) / kWorlds;
    }
    EXPECT_GT(without, 0.2) << sigma << ": not a test without this";
    EXPECT_NEAR(with, 0, 0.12) << sigma << ": not nearer, because the strengths of the sums are not known";
  }
}

TEST(Confidence, FallsWithNoiseAndIsAtMostOne) {
  double before = 1;
  for (const double sigma : {5.0, 15.0, 60.0, 1000.0}) {
    const double factor = World(sigma, 1).factor();
    EXPECT_LT(factor, before) << sigma;
    EXPECT_GE(factor, 1.0 / 64);
    before = factor;
  }
  World world(5, 1);
  EXPECT_EQ(confidence(world.prototypes, 0.01, world.known, world.prior, kPriorVariance, 1), 1);
}

TEST(Confidence, TakesPoolsThatSayNothing) {
  const std::vector<float> row(kDim, 0.25f), same = [&] {
    std::vector<float> rows;
    for (int i = 0; i < 50; ++i) rows.insert(rows.end(), row.begin(), row.end());
    return rows;
  }();
  const std::vector<double> sums(2 * kDim, 3);
  for (const std::vector<float>& rows : {row, same}) {
    for (const double prior_variance : {0.0, 3.0}) {
      const PoolPrior prior = PoolPrior::of(rows, kDim, 1);
      const Posterior known = posterior(sums, 1, prior, prior_variance, 1);
      const std::vector<double> compared = compared_whiter(known.means, prior.variances);
      const std::vector<float> prototypes(compared.begin(), compared.end());
      const double factor = confidence(prototypes, kScale, known, prior, prior_variance, 1);
      EXPECT_GE(factor, 1.0 / 64);
      EXPECT_LE(factor, 1);
    }
  }
}

TEST(Confidence, DoesNotDependOnThreadsOrOnHowScoresAreScaled) {
  World world(15, 1);
  const double factor = world.factor();
  EXPECT_EQ(world.factor(3), factor);
  for (float& value : world.prototypes) value *= 4;
  EXPECT_NEAR(confidence(world.prototypes, kScale / 4, world.known, world.prior, kPriorVariance, 1), factor, 1e-6);
}

}  // namespace
}  // namespace dppl
