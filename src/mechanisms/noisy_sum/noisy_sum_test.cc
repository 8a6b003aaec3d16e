#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dppl/error.h"
#include "dppl/mechanisms.h"
#include "support/checks.h"

namespace dppl {
namespace {

using testing::Scores;

Budget zcdp(const Rational& rho) { return Budget::unledgered(BudgetSpec::zcdp(rho)); }

TEST(NoisySum, NoiseIsDiscreteGaussianOfTheCalibratedVariance) {
  // ρ = 1/8 and norm² = 25: σ² = 100. One release of many coordinates, taken in pairs.
  SeededRandom random(25);
  Scores sum(400000, 1000);
  for (size_t i = 1; i < sum.size(); i += 2) sum[i] = -3;
  const NoisySum released =
      noisy_sum(zcdp(Rational(1, 8)), random, {.values = sum, .bound = NormBound::added(5)}).value;
  EXPECT_EQ(released.variance, Rational(100));
  size_t at = 0;
  const auto every_second = [&](size_t first) {
    at = first;
    return [&] { return released.values[(at += 2) - 2]; };
  };
  EXPECT_TRUE(testing::is_discrete_gaussian(every_second(0), 10, 1000));
  EXPECT_TRUE(testing::is_discrete_gaussian(every_second(1), 10, -3));
  at = 0;
  EXPECT_TRUE(testing::is_independent([&] {
    at += 2;
    return std::pair(released.values[at - 2] - 1000, released.values[at - 1] + 3);
  }));
}

// D_α between the outputs on neighbours, summed over the integers, stays below αρ for moves of the full norm.
TEST(NoisySum, RenyiDivergenceStaysWithinRho) {
  for (const int64_t move : {1, 3, 7}) {
    for (const Rational& rho : {Rational(1, 50), Rational(1, 2), Rational(4)}) {
      const double variance = gaussian_variance(Rational(move * move), rho).get_d();
      for (const double alpha : {1.1, 2.0, 8.0, 32.0}) {
        long double total = 0, divergence = 0;
        const auto reach = static_cast<int64_t>(40 * std::sqrt(variance) + 60 * static_cast<double>(move) * alpha);
        for (int64_t z = -reach; z <= reach; ++z) {
          const auto at = [&](double centre) {
            const long double distance = static_cast<long double>(z) - centre;
            return -distance * distance / (2 * variance);
          };
          total += std::exp(at(0));
          divergence += std::exp(alpha * at(static_cast<double>(move)) + (1 - alpha) * at(0));
        }
        EXPECT_LE(static_cast<double>(std::log(divergence / total)) / (alpha - 1), alpha * rho.get_d() * (1 + 1e-9))
            << move << " " << rho << " " << alpha;
      }
    }
  }
}

TEST(NoisySum, RefusesWhatTheProofDoesNotCover) {
  SecureRandom random;
  const Scores sum{1, 2}, at_the_edge{std::numeric_limits<int64_t>::max()};
  EXPECT_THROW(noisy_sum(Budget::unledgered(BudgetSpec::pure(1)), random, {.values = sum, .bound = {}}), InvalidInput);
  EXPECT_THROW(noisy_sum(zcdp(1), random, {.values = sum, .bound = {0}}), InvalidInput);
  EXPECT_THROW(noisy_sum(zcdp(1), random, {.values = sum, .bound = {1, Relation::replace_in_class}}), InvalidInput);
  EXPECT_THROW(noisy_sum(zcdp(Rational(1, mpz_class(1) << 90)), random, {.values = sum, .bound = {}}), InvalidInput);
  const auto overflow = [&] {
    for (int i = 0; i < 100; ++i) noisy_sum(zcdp(Rational(1, 1000000)), random, {.values = at_the_edge, .bound = {}});
  };
  EXPECT_THROW(overflow(), InvalidInput);
}

}  // namespace
}  // namespace dppl
