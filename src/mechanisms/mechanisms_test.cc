#include "dppl/mechanisms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dppl/error.h"
#include "mechanisms/joint_top_k/ranking.h"
#include "mechanisms/laplace_noise.h"
#include "support/checks.h"
#include "support/statistics.h"

namespace dppl {
namespace {

using testing::Scores;

Budget pure(const Rational& epsilon) { return Budget::unledgered(BudgetSpec::pure(epsilon)); }
Budget zcdp(const Rational& rho) { return Budget::unledgered(BudgetSpec::zcdp(rho)); }

using Mechanism = Released<size_t> (*)(Budget, Random&, const Utilities&);

struct Selection {
  const char* name;
  Mechanism mechanism;
  testing::Law law;
};

const Selection kSelections[] = {{"exponential", exponential, testing::exponential_law},
                                 {"permute-and-flip", permute_and_flip, testing::permute_and_flip_law},
                                 {"laplace", laplace_max, testing::laplace_max_law}};

TEST(SelectionMechanisms, OutputsHaveTheLawOfTheDefinition) {
  for (const Selection& selection : kSelections) {
    SeededRandom random(21);
    const auto select = [&](const Scores& scores, const Rational& epsilon, int64_t per_record) {
      return selection.mechanism(pure(epsilon), random, {scores, per_record}).value;
    };
    EXPECT_TRUE(testing::has_law(select, selection.law, 6)) << selection.name;
  }
}

TEST(SelectionMechanisms, LawsAreEpsilonPrivateForAllNeighbours) {
  for (const Selection& selection : kSelections) EXPECT_TRUE(testing::law_is_private(selection.law)) << selection.name;
}

TEST(SelectionMechanisms, GuaranteesAreThoseOfTheProofs) {
  const Scores scores{1, 2, 3};
  SecureRandom random;
  const Rational epsilon(1, 2);
  EXPECT_EQ(exponential(pure(epsilon), random, {scores, 1}).guarantee, Guarantee::of_bounded_range(epsilon));
  EXPECT_EQ(*exponential(pure(epsilon), random, {scores, 1}).guarantee.rho, Rational(1, 32));
  EXPECT_EQ(permute_and_flip(pure(epsilon), random, {scores, 1}).guarantee, Guarantee::pure(epsilon));
  EXPECT_EQ(*laplace_max(pure(epsilon), random, {scores, 1}).guarantee.rho, Rational(1, 8));
  EXPECT_EQ(joint_top_k(pure(epsilon), random, {scores, 1}, 2).guarantee, Guarantee::of_bounded_range(epsilon));
}

TEST(SelectionMechanisms, AZcdpBudgetRunsTheExponentialMechanismAtTheRootOfEightRho) {
  const Scores scores{1, 2, 3};
  SecureRandom random;
  const Guarantee guarantee = exponential(zcdp(Rational(1, 50)), random, {scores, 1}).guarantee;
  EXPECT_EQ(*guarantee.epsilon, Rational(2, 5));  // √(8/50)
  EXPECT_LE(*guarantee.rho, Rational(1, 50));
  EXPECT_LE(*permute_and_flip(zcdp(Rational(1, 50)), random, {scores, 1}).guarantee.epsilon, Rational(1, 5));
}

// ε beyond all doubles: the best candidate, as the law has it.
TEST(SelectionMechanisms, HugeBudgetsChooseTheBest) {
  SeededRandom random(9);
  const Rational huge = Rational(mpz_class("1" + std::string(340, '0')));
  const std::vector<int64_t> scores{3, 9, 1};
  const Utilities utilities{scores, 10};
  const auto budget = [&] { return Budget::unledgered(BudgetSpec::pure(huge)); };
  EXPECT_EQ(exponential(budget(), random, utilities).value, 1u);
  EXPECT_EQ(permute_and_flip(budget(), random, utilities).value, 1u);
  EXPECT_EQ(joint_top_k(budget(), random, utilities, 2).value, (std::vector<size_t>{0, 1}));
}

TEST(SelectionMechanisms, ASeededSourceMarksTheReleaseNotPrivate) {
  const Scores scores{1, 2, 3};
  SeededRandom seeded(1);
  for (const Selection& selection : kSelections) {
    EXPECT_FALSE(selection.mechanism(pure(1), seeded, {scores, 1}).guarantee.is_private);
  }
  EXPECT_FALSE(joint_top_k(pure(1), seeded, {scores, 1}, 2).guarantee.is_private);
  EXPECT_FALSE(noisy_sum(zcdp(1), seeded, {.values = scores}).guarantee.is_private);
  EXPECT_FALSE(noisy_count(pure(1), seeded, 3).guarantee.is_private);
  SecureRandom secure;
  EXPECT_TRUE(noisy_count(pure(1), secure, 3).guarantee.is_private);
}

TEST(SelectionMechanisms, RefuseWhatTheProofDoesNotCover) {
  SecureRandom random;
  const Scores none, negative{1, -1}, huge{0, std::numeric_limits<int64_t>::max()}, fine{1, 2};
  for (const Selection& selection : kSelections) {
    EXPECT_THROW(selection.mechanism(pure(1), random, {none, 1}), InvalidInput);
    EXPECT_THROW(selection.mechanism(pure(1), random, {negative, 1}), InvalidInput);
    EXPECT_THROW(selection.mechanism(pure(1), random, {huge, 1}), InvalidInput);
    EXPECT_THROW(selection.mechanism(pure(1), random, {fine, 0}), InvalidInput);
    EXPECT_THROW(
        selection.mechanism(Budget::unledgered(BudgetSpec::pure(1, Relation::replace_in_class)), random, {fine, 1}),
        InvalidInput);
    Budget once = pure(1);
    selection.mechanism(std::move(once), random, {fine, 1});
    EXPECT_THROW(selection.mechanism(std::move(once), random, {fine, 1}), BudgetExceeded);
  }
  EXPECT_THROW(joint_top_k(pure(1), random, {fine, 1}, 0), InvalidInput);
  EXPECT_THROW(joint_top_k(pure(1), random, {fine, 1}, 3), InvalidInput);
}

TEST(JointTopK, SetsHaveTheLawOfTheDefinition) {
  for (const size_t k : {1u, 2u, 3u, 6u}) {
    SeededRandom random(22);
    const auto sets = testing::subsets(6, k);
    if (k == 6) {
      EXPECT_EQ(joint_top_k(pure(1), random, {Scores{3, 1, 4, 1, 5, 9}, 1}, k).value, sets.front());
      continue;
    }
    const auto select = [&](const Scores& scores, const Rational& epsilon, int64_t per_record) {
      const auto chosen = joint_top_k(pure(epsilon), random, {scores, per_record}, k).value;
      return static_cast<size_t>(std::find(sets.begin(), sets.end(), chosen) - sets.begin());
    };
    EXPECT_TRUE(testing::has_law(select, testing::joint_top_k_law(k), 6)) << k;
  }
}

TEST(JointTopK, LawIsEpsilonPrivateForAllNeighbours) {
  for (const size_t k : {1u, 2u, 3u, 4u}) {
    EXPECT_TRUE(testing::law_is_private(testing::joint_top_k_law(k))) << k;
    // The way it is sampled, through ranks, is the same law.
    const auto ranked =
        testing::ranked_top_k_law(k, [](size_t y, size_t size) { return testing::choose(y - 1, size - 1); });
    EXPECT_TRUE(testing::law_is_private(ranked)) << k;
  }
}

TEST(JointTopK, LargeBinomialsAndLongListsKeepTheLaw) {
  // 2,000 candidates, K = 600: C(1999, 599) has 1,700 binary digits. All scores equal, so every set is equally likely
  // and the chance that candidate 0 is chosen is K/N = 0.3. n = 3,000, α = 1e-6.
  SeededRandom random(23);
  const Scores equal(2000, 7);
  const auto counts = testing::count_draws(3000, 2, [&] {
    const auto chosen = joint_top_k(pure(1), random, {equal, 1}, 600).value;
    EXPECT_EQ(chosen.size(), 600u);
    EXPECT_TRUE(std::adjacent_find(chosen.begin(), chosen.end(), std::greater_equal<>()) == chosen.end());
    return size_t{chosen.front() == 0};
  });
  EXPECT_GT(testing::chi_square_p_value(counts, {0.7, 0.3}), testing::kAlpha);
}

TEST(JointTopK, RanksByScoreThenIndex) {
  SeededRandom random(24);
  for (const uint64_t range : {uint64_t{3}, uint64_t{1000}, uint64_t{1} << 62}) {
    Scores scores(5000);
    for (int64_t& score : scores) score = static_cast<int64_t>(random.next64() % range);
    std::vector<uint32_t> expected(scores.size());
    std::iota(expected.begin(), expected.end(), 0u);
    std::stable_sort(expected.begin(), expected.end(), [&](uint32_t a, uint32_t b) { return scores[a] > scores[b]; });
    EXPECT_EQ(rank_by_score(scores), expected);
  }
}

TEST(NoisySum, NoiseIsDiscreteGaussianOfTheCalibratedVariance) {
  // ρ = 1/8 and norm² = 25: σ² = 100. One release of many coordinates, taken in pairs.
  SeededRandom random(25);
  Scores sum(400000, 1000);
  for (size_t i = 1; i < sum.size(); i += 2) sum[i] = -3;
  const NoisySum released = noisy_sum(zcdp(Rational(1, 8)), random, {.values = sum, .norm_squared = 25}).value;
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
  EXPECT_THROW(noisy_sum(pure(1), random, {.values = sum}), InvalidInput);
  EXPECT_THROW(noisy_sum(zcdp(1), random, {.values = sum, .norm_squared = 0}), InvalidInput);
  EXPECT_THROW(noisy_sum(zcdp(1), random, {.values = sum, .relation = Relation::replace_in_class}), InvalidInput);
  EXPECT_THROW(noisy_sum(zcdp(Rational(1, mpz_class(1) << 90)), random, {.values = sum}), InvalidInput);
  const auto overflow = [&] {
    for (int i = 0; i < 100; ++i) noisy_sum(zcdp(Rational(1, 1000000)), random, {.values = at_the_edge});
  };
  EXPECT_THROW(overflow(), InvalidInput);
}

TEST(NoisyCount, HasTheNoiseOfItsBudget) {
  SeededRandom random(26);
  EXPECT_TRUE(
      testing::is_discrete_gaussian([&] { return noisy_count(zcdp(Rational(1, 50)), random, 12).value; }, 5, 12));
  const double q = std::exp(-0.5);
  const auto cells =
      testing::make_cells(100, 40, [=](int64_t x) { return std::pow(q, static_cast<double>(std::abs(x))); });
  EXPECT_GT(testing::p_value(cells, 200000, [&] { return noisy_count(pure(Rational(1, 2)), random, 12).value - 12; }),
            testing::kAlpha);
  EXPECT_THROW(noisy_count(pure(1), random, -1), InvalidInput);
  EXPECT_THROW(noisy_count(Budget::unledgered(BudgetSpec::zcdp(1, Relation::replace_in_class)), random, 1),
               InvalidInput);
}

TEST(LaplaceScale, IsExactOrRoundedUp) {
  EXPECT_EQ(laplace_scale(3, Rational(1, 2)), Rational(6));
  const Rational awkward(mpz_class("123456789012345678"), mpz_class("100000000000000000"));
  const Rational scale = laplace_scale(1000003, awkward);
  EXPECT_GE(scale, Rational(1000003) / awkward);
  EXPECT_LE(scale, Rational(1000003) / awkward * Rational(1000001, 1000000));
  EXPECT_LT(scale.get_num(), mpz_class(1) << 62);
  EXPECT_THROW(laplace_scale(int64_t{1} << 60, Rational(1, 1000)), InvalidInput);
}

}  // namespace
}  // namespace dppl
