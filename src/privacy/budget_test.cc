#include "dppl/budget.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "dppl/error.h"

namespace dppl {
namespace {

Rational read(const char* text) { return parse_rational(text, "test"); }

const Rational kDelta = read("1e-5");

// What was thrown, as text.
template <typename Expected, typename Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const Expected& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(Budget, DescribesItself) {
  EXPECT_EQ(BudgetSpec::pure(read("0.1")).describe(), "ε = 0.1");
  EXPECT_EQ(BudgetSpec::zcdp(Rational(1, 8)).describe(), "ρ = 0.125");
  EXPECT_EQ(BudgetSpec::approximate(1, kDelta).describe(), "(ε, δ) = (1, 0.00001)");
  EXPECT_EQ(to_string(Notion::pure), "pure");
  EXPECT_EQ(to_string(Notion::zcdp), "zcdp");
  EXPECT_EQ(to_string(Notion::approximate), "approximate");
}

TEST(Budget, IsAGuaranteeInItsOwnNotion) {
  constexpr Relation relation = Relation::replace_in_class;
  EXPECT_EQ(BudgetSpec::pure(1, relation).as_guarantee(), Guarantee::pure(1, relation));
  EXPECT_EQ(BudgetSpec::zcdp(1, relation).as_guarantee(), Guarantee::zcdp(1, relation));
  EXPECT_EQ(BudgetSpec::approximate(1, kDelta, relation).as_guarantee(),
            Guarantee::approximate_dp(1, kDelta, relation));
}

TEST(Budget, RefusesBadAmountsNamingTheValue) {
  EXPECT_EQ(refusal<InvalidInput>([] { Budget::unledgered(BudgetSpec::pure(0)); }), "ε = 0: must be above 0");
  EXPECT_EQ(refusal<InvalidInput>([] { Budget::unledgered(BudgetSpec::zcdp(read("-0.5"))); }),
            "ρ = -0.5: must be above 0");
  EXPECT_EQ(refusal<InvalidInput>([] { Budget::unledgered(BudgetSpec::approximate(0, kDelta)); }),
            "ε = 0: must be above 0");
  for (const char* delta : {"0", "-1", "1", "1.5"}) {
    const std::string message =
        refusal<InvalidInput>([&] { Budget::unledgered(BudgetSpec::approximate(1, read(delta))); });
    EXPECT_EQ(message.find("δ = " + std::string(delta) + ":"), 0U) << message;
  }
  BudgetSpec misplaced = BudgetSpec::pure(1);
  misplaced.delta = kDelta;
  EXPECT_THROW(Budget::unledgered(misplaced), InvalidInput);
}

TEST(Budget, IsSpentOnce) {
  static_assert(!std::is_copy_constructible_v<Budget> && !std::is_copy_assignable_v<Budget>);
  Budget first = Budget::unledgered(BudgetSpec::zcdp(1));
  EXPECT_FALSE(first.spent());
  Budget second = std::move(first);
  EXPECT_TRUE(first.spent());  // NOLINT(bugprone-use-after-move): this is what is tested
  EXPECT_FALSE(second.spent());
  EXPECT_EQ(second.spec(), BudgetSpec::zcdp(1));
  for (const auto& use :
       {std::function<void()>([&] { first.spec(); }), {[&] { first.rho(); }}, {[&] { first.pure_epsilon(); }}, {[&] {
          first.bounded_range_epsilon();
        }}}) {
    EXPECT_NE(refusal<BudgetExceeded>(use).find("already spent"), std::string::npos);
  }
  EXPECT_THROW(Budget::parallel(std::move(first), 2), BudgetExceeded);

  Budget third = Budget::unledgered(BudgetSpec::pure(3));
  third = std::move(second);
  EXPECT_TRUE(second.spent());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(third.spec(), BudgetSpec::zcdp(1));
}

TEST(Budget, SplitsIntoSequentialParts) {
  const std::vector<Rational> shares = {Rational(1, 3), Rational(2, 3)};
  const auto pure = Budget::split(Budget::unledgered(BudgetSpec::pure(1)), shares);
  ASSERT_EQ(pure.size(), 2U);
  EXPECT_EQ(pure[0].spec(), BudgetSpec::pure(Rational(1, 3)));
  EXPECT_EQ(pure[1].spec(), BudgetSpec::pure(Rational(2, 3)));

  const auto approximate = Budget::split(Budget::unledgered(BudgetSpec::approximate(1, kDelta)), shares);
  EXPECT_EQ(approximate[0].spec(), BudgetSpec::approximate(Rational(1, 3), kDelta / 3));
}

TEST(Budget, RefusesSharesThatExceedTheWhole) {
  const auto split = [](const std::vector<Rational>& shares) {
    return [shares] { Budget::split(Budget::unledgered(BudgetSpec::pure(1)), shares); };
  };
  EXPECT_NE(refusal<InvalidInput>(split({Rational(1, 2), Rational(3, 5)})).find("1.1"), std::string::npos);
  EXPECT_THROW(split({Rational(1, 2), 0})(), InvalidInput);
  EXPECT_THROW(split({2, -1})(), InvalidInput);
}

TEST(Budget, ParallelPartsMaySpendTheWhole) {
  const auto parts = Budget::parallel(Budget::unledgered(BudgetSpec::pure(1)), 3);
  ASSERT_EQ(parts.size(), 3U);
  for (const Budget& part : parts) EXPECT_EQ(part.spec(), BudgetSpec::pure(1));
}

TEST(Budget, GivesEachMechanismWhatItMayUse) {
  const Budget pure = Budget::unledgered(BudgetSpec::pure(read("0.1")));
  EXPECT_EQ(pure.bounded_range_epsilon(), read("0.1"));
  EXPECT_EQ(pure.pure_epsilon(), read("0.1"));
  const Budget zcdp = Budget::unledgered(BudgetSpec::zcdp(read("0.005")));
  EXPECT_EQ(zcdp.bounded_range_epsilon(), read("0.2"));
  EXPECT_EQ(zcdp.pure_epsilon(), read("0.1"));
  EXPECT_EQ(zcdp.rho(), read("0.005"));
  const Budget approximate = Budget::unledgered(BudgetSpec::approximate(1, kDelta));
  EXPECT_EQ(approximate.bounded_range_epsilon(), bounded_range_for_approximate(1, kDelta));
  EXPECT_EQ(approximate.pure_epsilon(), pure_for_approximate(1, kDelta));
  EXPECT_EQ(approximate.rho(), zcdp_for_approximate(1, kDelta));
}

TEST(Budget, RefusesGaussianNoiseWithTheReason) {
  const Budget pure = Budget::unledgered(BudgetSpec::pure(1));
  EXPECT_EQ(refusal<InvalidInput>([&] { pure.rho(); }),
            "ε = 1: Gaussian noise has no pure-DP guarantee; state the budget in ρ, or in ε and δ");
}

}  // namespace
}  // namespace dppl
