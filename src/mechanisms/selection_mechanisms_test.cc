#include <gtest/gtest.h>

#include <limits>

#include "dppl/error.h"
#include "dppl/mechanisms.h"
#include "support/checks.h"

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
  EXPECT_FALSE(noisy_sum(zcdp(1), seeded, {.values = scores, .bound = {}}).guarantee.is_private);
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

}  // namespace
}  // namespace dppl
