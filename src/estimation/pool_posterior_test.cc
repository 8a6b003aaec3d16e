#include "estimation/pool_posterior.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/atoms.h"

namespace dppl {
namespace {

using namespace testing;

TEST(PoolPosterior, FindsTheAtomThatNoiseHides) {
  const Pool pool = make_pool();
  const PoolPrior prior = PoolPrior::of(pool.rows, kDim, 2);
  ASSERT_EQ(prior.size(), 1024u);
  SeededRandom random(6);
  // Ten records against noise of 4 in every coordinate: the sum's cosine with the truth is about 10/(4·√16).
  constexpr double kRecords = 10, kSigma = 4;
  double raw = 0, shrunk = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const auto& truth = pool.atoms[random.next64() % pool.atoms.size()];
    std::vector<double> sum(kDim);
    for (size_t k = 0; k < kDim; ++k) sum[k] = kRecords * truth[k] + kSigma * normal(random);
    raw += cosine(sum, truth) / 200;
    shrunk += cosine(posterior(sum, kSigma, prior, 0.1, 1).means, truth) / 200;
  }
  // n = 200; a cosine varies by at most 0.5 about its mean, so the means are known to 0.04 each; the gap is about 0.1.
  EXPECT_LT(raw, 0.65);
  EXPECT_GT(shrunk, raw + 0.05);
}

TEST(PoolPosterior, FollowsASumThatIsClear) {
  const Pool pool = make_pool();
  const PoolPrior prior = PoolPrior::of(pool.rows, kDim, 1);
  SeededRandom random(7);
  const std::vector<double> elsewhere = direction(random);  // no public row is there
  std::vector<double> sum(kDim);
  for (size_t k = 0; k < kDim; ++k) sum[k] = 1000 * elsewhere[k];
  EXPECT_GT(cosine(posterior(sum, 1, prior, 1, 1).means, elsewhere), 0.999);
}

TEST(PoolPosterior, IsShortWhereNothingIsKnown) {
  const Pool pool = make_pool();
  const PoolPrior prior = PoolPrior::of(pool.rows, kDim, 1);
  SeededRandom random(8);
  std::vector<double> noise(kDim), clear(kDim);
  for (double& value : noise) value = 50 * normal(random);
  for (size_t k = 0; k < kDim; ++k) clear[k] = 500 * pool.atoms[0][k];
  const auto length = [](const std::vector<double>& v) {
    double squares = 0;
    for (const double x : v) squares += x * x;
    return std::sqrt(squares);
  };
  EXPECT_LT(2 * length(posterior(noise, 50, prior, 1, 1).means), length(posterior(clear, 1, prior, 1, 1).means));
}

// Knowledge of a class is taken where the sum says nothing, and left where the sum is clear.
TEST(PoolPosterior, KnowledgeCountsUntilTheDataSpeak) {
  const Pool pool = make_pool();
  const PoolPrior prior = PoolPrior::of(pool.rows, kDim, 1);
  SeededRandom random(10);
  constexpr size_t kClasses = 8;
  std::vector<double> truths, known;
  for (size_t c = 0; c < kClasses; ++c) {
    const std::vector<double> truth = direction(random), other = direction(random);
    truths.insert(truths.end(), truth.begin(), truth.end());
    known.insert(known.end(), other.begin(), other.end());
  }
  constexpr double kCosine = 0.5;
  const auto means_of = [&](double records, std::vector<double> knowledge) {
    for (double& value : knowledge) value *= kCosine;
    std::vector<double> sums(kClasses * kDim);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = records * truths[i] + 5 * normal(random);
    return posterior(sums, 5, prior, 1, 1, knowledge);
  };
  const auto mean_cosine = [&](const std::vector<double>& a, const std::vector<double>& b) {
    double total = 0;
    for (size_t c = 0; c < kClasses; ++c) {
      const auto row = [&](const std::vector<double>& of) {
        return std::vector<double>(of.begin() + static_cast<std::ptrdiff_t>(c * kDim),
                                   of.begin() + static_cast<std::ptrdiff_t>((c + 1) * kDim));
      };
      total += cosine(row(a), row(b)) / kClasses;
    }
    return total;
  };
  EXPECT_GT(mean_cosine(means_of(0, truths).means, truths), 0.6) << "right knowledge, no records";
  const Posterior clear = means_of(1000, known);
  EXPECT_GT(mean_cosine(clear.means, truths), 0.99) << "wrong knowledge, many records";
  EXPECT_LT(clear.knowledge_weight, means_of(1000, truths).knowledge_weight);
}

TEST(PoolPosterior, FollowsAPermutationOfTheClasses) {
  const Pool pool = make_pool();
  const PoolPrior prior = PoolPrior::of(pool.rows, kDim, 1);
  SeededRandom random(11);
  std::vector<double> sums(3 * kDim), known(3 * kDim);
  for (double& value : sums) value = 9 * normal(random);
  for (size_t k = 0; k < kDim; ++k) known[kDim + k] = pool.atoms[0][k] / 2;
  std::vector<double> turned_sums(sums), turned_known(known);
  std::rotate(turned_sums.begin(), turned_sums.begin() + kDim, turned_sums.end());
  std::rotate(turned_known.begin(), turned_known.begin() + kDim, turned_known.end());
  Posterior one = posterior(sums, 4, prior, 1, 1, known);
  const Posterior other = posterior(turned_sums, 4, prior, 1, 1, turned_known);
  std::rotate(one.means.begin(), one.means.begin() + kDim, one.means.end());
  for (size_t i = 0; i < one.means.size(); ++i) EXPECT_NEAR(one.means[i], other.means[i], 1e-6);
}

// Pools that vary in one direction, in none, or of one row: finite answers that follow a clear sum.
TEST(PoolPosterior, DegeneratePoolsLeaveClearSumsAlone) {
  SeededRandom random(12);
  const std::vector<double> elsewhere = direction(random);
  std::vector<double> sum(kDim);
  for (size_t k = 0; k < kDim; ++k) sum[k] = 2000 * elsewhere[k];
  std::vector<float> line(300 * kDim), same(300 * kDim, 1.0f), zeros(300 * kDim), one(kDim, 0.5f);
  for (size_t i = 0; i < 300; ++i) line[i * kDim] = i % 2 == 0 ? 1.0f : -1.0f;
  for (const std::vector<float>& rows : {line, same, zeros, one}) {
    const Posterior result = posterior(sum, 1, PoolPrior::of(rows, kDim, 1), 1, 1);
    EXPECT_GT(cosine(result.means, elsewhere), 0.99);
    EXPECT_TRUE(std::isfinite(result.strengths[0]));
  }
}

TEST(PoolPosterior, DoesNotDependOnThreadsOrNeighbouringClasses) {
  const Pool pool = make_pool();
  const PoolPrior one = PoolPrior::of(pool.rows, kDim, 1), two = PoolPrior::of(pool.rows, kDim, 2);
  EXPECT_EQ(one.atoms, two.atoms);
  SeededRandom random(9);
  std::vector<double> sums(40 * kDim);
  for (double& value : sums) value = 5 * normal(random);
  EXPECT_EQ(posterior(sums, 3, one, 1, 1).means, posterior(sums, 3, one, 1, 2).means);
}

}  // namespace
}  // namespace dppl
