#include "lab/baselines/noise.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "support/clouds.h"
#include "support/statistics.h"

namespace dppl {
namespace {

using testing::kAlpha;

TEST(Normals, AreNormal) {
  SeededRandom random(11);
  Normals normals(random);
  const boost::math::normal law;
  std::vector<uint64_t> counts(20);
  std::vector<uint64_t> products(2);  // of the two of a pair: equal signs or not
  for (int i = 0; i < 100000; ++i) {
    const double first = normals.next(), second = normals.next();
    for (const double value : {first, second})
      ++counts[std::min<size_t>(19, size_t(boost::math::cdf(law, value) * 20))];
    ++products[first * second > 0 ? 1 : 0];
  }
  EXPECT_GT(testing::chi_square_p_value(counts, std::vector<double>(20, 0.05)), kAlpha);
  EXPECT_GT(testing::chi_square_p_value(products, {0.5, 0.5}), kAlpha);
}

TEST(Account, PaysForNoise) {
  Account account(2.0);
  EXPECT_DOUBLE_EQ(account.gaussian(0.25, 3), 3.0);  // 9/(2·9) = 0.5
  EXPECT_DOUBLE_EQ(account.exponential(0.25), 2.0);  // 4/8 = 0.5
  EXPECT_DOUBLE_EQ(account.spent(), 1.0);
  EXPECT_THROW(account.gaussian(0.6, 1), std::logic_error);
  Account none({});
  EXPECT_EQ(none.gaussian(1, 1), 0);
  EXPECT_EQ(none.exponential(1), INFINITY);
  EXPECT_EQ(none.spent(), 0);
}

TEST(SymmetricNoise, DrawsEachPairOnce) {
  SeededRandom random(3);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Ones(300, 300);
  add_symmetric_noise(matrix, 2, random);
  EXPECT_EQ(matrix, matrix.transpose());
  const double variance = (matrix.array() - 1).square().mean();
  EXPECT_NEAR(variance, 4, 4 * 4.9 * std::sqrt(2 / 45150.0));  // α = 1e-6
}

double two_sided(uint64_t successes, uint64_t n, double probability) {
  const boost::math::binomial law(static_cast<double>(n), probability);
  const auto k = static_cast<double>(successes);
  return 2 * std::min(boost::math::cdf(law, k), boost::math::cdf(boost::math::complement(law, std::max(k - 1, 0.0))));
}

double phi(double x) { return boost::math::cdf(boost::math::normal(), x); }

// In one dimension with two classes, how often class 0 is predicted shows how much noise was added. chance(f): how
// often that would be with f times the noise. n = 3000, α = 1e-6; noise that is wrong by a quarter is found out.
void expect_chance(std::string_view name, const BaselineSettings& settings, double rho, size_t of_class_0, float test,
                   const std::function<double(double factor)>& chance) {
  constexpr uint64_t kRuns = 3000;
  // All rows are at 1; class 1 has one of them.
  const std::vector<float> train(of_class_0 + 1, 1.0f), pool = {1, -1};
  std::vector<uint32_t> labels(of_class_0 + 1);
  labels.back() = 1;
  const BaselineInput input{.train = {train, 1, labels, 2}, .pool = pool, .rho = rho, .settings = settings};
  SeededRandom random(17);
  uint64_t zeros = 0;
  for (uint64_t i = 0; i < kRuns; ++i) {
    const BaselineResult result = train_baseline(find_baseline(name), input, random);
    zeros += predict(result.classifier, {&test, 1})[0] == 0 ? 1 : 0;
  }
  EXPECT_GT(two_sided(zeros, kRuns, chance(1)), kAlpha) << name << ": " << zeros;
  EXPECT_LT(two_sided(zeros, kRuns, chance(1.25)), kAlpha) << name << ": " << zeros;
  EXPECT_LT(two_sided(zeros, kRuns, chance(0.8)), kAlpha) << name << ": " << zeros;
}

// The prediction is the sign of one normal variable.
void expect_noise(std::string_view name, const BaselineSettings& settings, double rho, double signal, double sigma) {
  expect_chance(name, settings, rho, 2, 1, [&](double factor) { return phi(signal / (factor * sigma)); });
}

// After one step from 0, weight 0 minus weight 1 is −(g0 − g1): residuals are ±½ at the start, so g0 − g1 = −1 of 3
// records, and its noise is √2·σ with σ² = clip²/(2·ρ').
TEST(BaselineNoise, OfOneGradientStep) {
  const double rho = 0.8;
  const auto sigma = [&](double share, double factor = 1) {
    return std::sqrt(2.0) * 0.8 / std::sqrt(2 * factor * rho * share);
  };
  const BaselineSettings settings = {{"steps", 1}, {"clip", 0.8}, {"records", 3}};
  expect_noise("dp-sgd", settings, rho, 1, sigma(1));
  BaselineSettings counted = settings;
  counted["records"] = 0;
  counted["count_share"] = 0.3;
  expect_noise("dp-sgd", counted, rho, 1, sigma(0.7));
  BaselineSettings adapt = settings;
  adapt["share"] = 0.4;
  adapt["threshold"] = 2;
  expect_noise("global-adapt", adapt, 8 * rho, 0.4, sigma(0.6, 8));  // scaled by clip/threshold
  BaselineSettings second = settings;
  second["moment_share"] = 0.25;
  expect_noise("dp-fc", second, rho, 1, sigma(0.75));
  expect_noise("dp-newton", second, rho, 1, sigma(0.75));
}

// The same sign for least squares where λ outweighs the noise of the second moment; b0 − b1 = 1.
TEST(BaselineNoise, OfLeastSquares) {
  expect_noise("dp-ls", {{"lambda", 1e6}, {"per_class", 0}, {"moment_share", 0.4}}, 1.6, 1,
               std::sqrt(2.0) / std::sqrt(2 * 1.6 * 0.6));
  expect_noise("dp-ls", {{"lambda", 1e6}}, 3, 1, std::sqrt(2.0) / std::sqrt(2 * 3.0 / 3));
}

// Prototypes end at 1 or −1; at −1 class 1 is predicted where noise turned its prototype and not that of class 0, which
// has twelve records and so a twelfth of the noise against its sum.
TEST(BaselineNoise, OfMeans) {
  const double rho = 0.5, sigma = 1 / std::sqrt(2 * rho);
  const auto chance = [&](double factor) { return 1 - phi(12 / (factor * sigma)) * phi(-1 / (factor * sigma)); };
  expect_chance("naive-mean", {{"clip", 1}}, 4 * rho, 12, -1, chance);  // a replaced row moves a sum by 2
  // Radius 1 and tail probability 0.01 in one dimension: rows are clipped to 4.637.
  const double clip = 4.637;
  expect_chance("coinpress-mean", {{"steps", 1}}, 4 * clip * clip * rho, 12, -1, chance);
  expect_chance("projection-mean", {{"dim", 1}, {"share", 0.3}, {"steps", 1}}, rho / 0.7, 12, -1, chance);
}

// The same with choices: class 1 gains 1 by choosing 1 instead of −1, class 0 gains 12.
TEST(BaselineNoise, OfPublicChoices) {
  const double epsilon = 2, share = 0.3;
  const auto logistic = [](double x) { return 1 / (1 + std::exp(-x)); };
  expect_chance("projection-public", {{"dim", 1}, {"share", share}, {"steps", 1}, {"clip_min", -1}},
                epsilon * epsilon / 8 / (1 - share), 12, -1,
                [&](double factor) { return 1 - logistic(12 * epsilon / factor) * logistic(-epsilon / factor); });
}

}  // namespace
}  // namespace dppl
