#include "estimation/pool_posterior.h"

#include <gtest/gtest.h>

#include "support/atoms.h"

namespace dppl {
namespace {

using namespace testing;

TEST(PoolPosterior, FindsTheAtomThatNoiseHides) {
  const Pool pool = make_pool();
  const PoolPrior prior = PoolPrior::of(pool.rows, kDim, 2);
  ASSERT_EQ(prior.size(), 1200u);
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
  // n = 200; a cosine varies by at most 0.5 about its mean, so the means are known to 0.04 each; the gap is over 0.1.
  EXPECT_LT(raw, 0.65);
  EXPECT_GT(shrunk, raw + 0.1);
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
