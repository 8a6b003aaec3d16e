#include "estimation/prototype_scaling.h"

#include <gtest/gtest.h>

#include "estimation/metric.h"
#include "estimation/pool_posterior.h"
#include "support/atoms.h"

namespace dppl {
namespace {

using namespace testing;

TEST(PrototypeScaling, GivesUnitLengthAndLiftsTheUncertain) {
  const Pool pool = make_pool();
  const PoolPrior prior = PoolPrior::of(pool.rows, kDim, 1);
  SeededRandom random(12);
  std::vector<double> sums(2 * kDim);
  for (size_t k = 0; k < kDim; ++k) {
    sums[k] = 300 * pool.atoms[0][k];
    sums[kDim + k] = 5 * normal(random);
  }
  const auto lengths = [&](double lift) {
    const auto prototypes = scale_prototypes(posterior(sums, 5, prior, 1, 1).means, 2, lift);
    std::vector<double> result(2);
    for (size_t i = 0; i < prototypes.size(); ++i) {
      result[i / kDim] += static_cast<double>(prototypes[i]) * static_cast<double>(prototypes[i]);
    }
    return result;
  };
  for (const double squares : lengths(0)) EXPECT_NEAR(squares, 1, 1e-5);
  EXPECT_GT(lengths(0.2)[1], 1.05 * lengths(0.2)[0]);
}

TEST(PrototypeScaling, AMetricThatIsAllNoiseChangesLittle) {
  SeededRandom random(13);
  std::vector<double> sums(3 * kDim);
  for (double& value : sums) value = normal(random);
  NoisySecondMoment moment{Eigen::MatrixXd::Zero(kDim, kDim), 10};
  for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(kDim); ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) moment.values(i, j) = moment.values(j, i) = 10 * normal(random);
  }
  const auto plain = scale_prototypes(sums, 3, 0);
  const Eigen::MatrixXd metric = metric_of(moment);
  const auto seen = scale_prototypes(sums, 3, 0, &metric);
  for (size_t c = 0; c < 3; ++c) {
    const std::vector<double> a(plain.begin() + static_cast<std::ptrdiff_t>(c * kDim),
                                plain.begin() + static_cast<std::ptrdiff_t>((c + 1) * kDim));
    const std::vector<double> b(seen.begin() + static_cast<std::ptrdiff_t>(c * kDim),
                                seen.begin() + static_cast<std::ptrdiff_t>((c + 1) * kDim));
    EXPECT_GT(cosine(a, b), 0.9);
  }
}

}  // namespace
}  // namespace dppl
