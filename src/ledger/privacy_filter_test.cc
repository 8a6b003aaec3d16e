#include "ledger/privacy_filter.h"

#include <gtest/gtest.h>

#include "dppl/error.h"
#include "support/expect_error.h"

namespace dppl {
namespace {

Rational number(const char* text) { return parse_rational(text, "test"); }

void charge(PrivacyFilter& filter, const BudgetSpec& asked) { filter.charge(asked, asked.as_guarantee()); }

// Exponential mechanism, asked in each way that it can be.
void charge_exponential(PrivacyFilter& filter, const BudgetSpec& asked, const char* epsilon) {
  filter.charge(asked, Guarantee::of_bounded_range(number(epsilon)));
}

TEST(PrivacyFilter, PureBudgetsAreExactAtTheBoundary) {
  PrivacyFilter filter("d", BudgetSpec::pure(1));
  for (int i = 0; i < 10; ++i) charge(filter, BudgetSpec::pure(number("0.1")));
  EXPECT_EQ(filter.balance().spent.value, 1);
  EXPECT_EQ(filter.balance().remaining.value, 0);
  EXPECT_THROW(charge(filter, BudgetSpec::pure(number("1e-18"))), BudgetExceeded);
  EXPECT_EQ(filter.balance().spent.value, 1);
}

TEST(PrivacyFilter, AnythingOverIsRefusedInEveryNotion) {
  const Rational over = number("0.5") + number("1e-18");
  const Rational delta = number("1e-5");
  for (const auto& [total, half, more] :
       {std::tuple{BudgetSpec::pure(1), BudgetSpec::pure(Rational(1, 2)), BudgetSpec::pure(over)},
        std::tuple{BudgetSpec::zcdp(1), BudgetSpec::zcdp(Rational(1, 2)), BudgetSpec::zcdp(over)},
        std::tuple{BudgetSpec::approximate(1, delta), BudgetSpec::approximate(Rational(1, 2), delta / 2),
                   BudgetSpec::approximate(over, delta / 2)},
        std::tuple{BudgetSpec::approximate(1, delta), BudgetSpec::approximate(Rational(1, 2), delta / 2),
                   BudgetSpec::approximate(Rational(1, 2), delta / 2 + number("1e-30"))}}) {
    PrivacyFilter filter("d", total);
    charge(filter, half);
    EXPECT_THROW(charge(filter, more), BudgetExceeded) << more.describe();
    charge(filter, half);
    EXPECT_EQ(filter.balance().remaining, Ledger::Amount()) << total.describe();
  }
}

TEST(PrivacyFilter, TheRefusalSaysWhatIsSpentAskedAndRemaining) {
  PrivacyFilter filter("flowers", BudgetSpec::pure(1));
  charge(filter, BudgetSpec::pure(number("0.75")));
  try {
    charge(filter, BudgetSpec::pure(number("0.250000000000000001")));
    FAIL();
  } catch (const BudgetExceeded& error) {
    const std::string message = error.what();
    for (const char* part : {"'flowers'", "total of ε = 1 ", "spent ε = 0.75,", "remaining ε = 0.25,",
                             "asked ε = 0.250000000000000001;"}) {
      EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
    }
  }
}

TEST(PrivacyFilter, TheExponentialMechanismPaysAnEighthAgainstZcdp) {
  PrivacyFilter filter("d", BudgetSpec::zcdp(Rational(1, 8)));
  charge_exponential(filter, BudgetSpec::pure(number("0.5")), "0.5");
  EXPECT_EQ(filter.balance().spent.value, Rational(1, 32));
  // The same ε by a mechanism of which no more is known costs four times as much.
  EXPECT_THROW(charge(filter, BudgetSpec::pure(number("0.5"))), BudgetExceeded);
  charge(filter, BudgetSpec::zcdp(Rational(3, 32)));
  EXPECT_EQ(filter.balance().remaining.value, 0);
}

TEST(PrivacyFilter, WhatWasAskedInTheTotalsNotionIsChargedInFull) {
  // The mechanism rounds √(8ρ) down and so costs a little less than ρ; the budget handed out is ρ.
  PrivacyFilter filter("d", BudgetSpec::zcdp(1));
  charge_exponential(filter, BudgetSpec::zcdp(Rational(1, 3)), "1.6");
  EXPECT_EQ(filter.balance().spent.value, Rational(1, 3));
}

TEST(PrivacyFilter, GaussianCostsAreRefusedByPureTotals) {
  PrivacyFilter pure("d", BudgetSpec::pure(100));
  EXPECT_THROW(charge(pure, BudgetSpec::zcdp(number("0.001"))), InvalidInput);
  EXPECT_THROW(charge(pure, BudgetSpec::approximate(1, number("1e-5"))), InvalidInput);
  PrivacyFilter zcdp("d", BudgetSpec::zcdp(100));
  EXPECT_THROW(charge(zcdp, BudgetSpec::approximate(1, number("1e-5"))), InvalidInput);
}

TEST(PrivacyFilter, RelationsMustAgree) {
  PrivacyFilter filter("d", BudgetSpec::pure(1));
  EXPECT_THROW(charge(filter, BudgetSpec::pure(Rational(1, 10), Relation::replace_in_class)), InvalidInput);
  EXPECT_THROW(
      filter.charge(BudgetSpec::pure(Rational(1, 10)), Guarantee::pure(Rational(1, 10), Relation::replace_in_class)),
      InvalidInput);
  EXPECT_EQ(filter.balance().spent.value, 0);
}

TEST(PrivacyFilter, RecordsAndPeopleAreKeptApart) {
  const BudgetSpec of_records = BudgetSpec::pure(1), of_people = BudgetSpec::pure(1, Relation::add_remove_person);
  PrivacyFilter records("d", of_records), people("d", of_people);
  testing::expect_error<InvalidInput>(
      [&] { charge(people, of_records); },
      {"data set 'd' is for people, and this release is for records", "make the release for people, too"});
  testing::expect_error<InvalidInput>(
      [&] { charge(records, of_people); },
      {"data set 'd' is for records, and this release is for people", "make the release for records, too"});
  testing::expect_error<InvalidInput>([&] { people.charge(of_people, of_records.as_guarantee()); }, {"for people"});
  EXPECT_EQ(people.balance().spent.value, 0);
  charge(people, of_people);
  EXPECT_EQ(people.balance().remaining.value, 0);
  EXPECT_THROW(charge(people, of_people), BudgetExceeded);
}

TEST(PrivacyFilter, NothingIsFreeAndNothingIsRefunded) {
  PrivacyFilter filter("d", BudgetSpec::zcdp(1));
  Guarantee price = Guarantee::pure(Rational(1, 10));
  for (const int rho : {0, -1}) {
    price.rho = rho;
    EXPECT_THROW(filter.charge(BudgetSpec::pure(Rational(1, 10)), price), InvalidInput);
  }
}

TEST(PrivacyFilter, ApproximateTotalsAddWhatIsAskedInEpsilonAndDelta) {
  const Rational delta = number("1e-5");
  PrivacyFilter filter("d", BudgetSpec::approximate(1, delta));
  charge_exponential(filter, BudgetSpec::approximate(number("0.5"), delta / 2), "0.5");
  charge(filter, BudgetSpec::pure(number("0.25")));
  // Asked in ρ, but pure: counts as ε.
  charge_exponential(filter, BudgetSpec::zcdp(Rational(1, 128)), "0.25");
  EXPECT_EQ(filter.balance().unit, Notion::approximate);
  EXPECT_EQ(filter.balance().spent, (Ledger::Amount{1, delta / 2}));
  // A Gaussian release asked in ρ does not say which part of δ it may use.
  EXPECT_THROW(charge(filter, BudgetSpec::zcdp(number("1e-9"))), InvalidInput);
}

TEST(PrivacyFilter, ApproximateTotalsAddRhoWhenItIsAskedFirst) {
  const Rational epsilon = 1, delta = number("1e-5");
  const Rational affordable = zcdp_for_approximate(epsilon, delta);
  PrivacyFilter filter("d", BudgetSpec::approximate(epsilon, delta));
  for (int i = 0; i < 4; ++i) charge(filter, BudgetSpec::zcdp(affordable / 4));
  EXPECT_EQ(filter.balance().unit, Notion::zcdp);
  EXPECT_EQ(filter.balance().remaining.value, 0);
  EXPECT_LE(zcdp_to_epsilon(filter.balance().spent.value, delta), epsilon);
  EXPECT_THROW(charge(filter, BudgetSpec::zcdp(number("1e-18"))), BudgetExceeded);
  EXPECT_THROW(charge(filter, BudgetSpec::pure(number("1e-6"))), BudgetExceeded);
}

TEST(PrivacyFilter, TheWholeOfAnApproximateTotalFitsOneRelease) {
  const BudgetSpec whole = BudgetSpec::approximate(1, number("1e-5"));
  const Rational exponential = Budget::unledgered(whole).bounded_range_epsilon();
  EXPECT_GT(exponential, 1);  // so its pure ε alone would not fit
  for (const Guarantee& price :
       {Guarantee::of_bounded_range(exponential), Guarantee::zcdp(Budget::unledgered(whole).rho())}) {
    EXPECT_TRUE(stays_within(price, whole));
    PrivacyFilter filter("d", whole);
    filter.charge(whole, price);
    EXPECT_EQ(filter.balance().remaining, Ledger::Amount());
  }
}

TEST(PrivacyFilter, PureCostsAskedInRhoFitAnApproximateTotalByTheirEpsilon) {
  // ρ = 1/8 is far beyond what (1, 1e-5) affords, but the release is 1-DP.
  PrivacyFilter filter("d", BudgetSpec::approximate(1, number("1e-5")));
  charge_exponential(filter, BudgetSpec::zcdp(Rational(1, 8)), "1");
  EXPECT_EQ(filter.balance().unit, Notion::pure);
  EXPECT_EQ(filter.balance().remaining.value, 0);
  EXPECT_THROW(charge_exponential(filter, BudgetSpec::zcdp(Rational(1, 8)), "0.001"), BudgetExceeded);
  EXPECT_THROW(charge(filter, BudgetSpec::zcdp(number("1e-9"))), BudgetExceeded);
}

TEST(PrivacyFilter, TheRuleOfAnApproximateTotalIsSettledByTheFirstRelease) {
  // Switching between the two rules in the light of an output could spend δ twice.
  const Rational delta = number("1e-5");
  PrivacyFilter by_rho("d", BudgetSpec::approximate(1, delta));
  charge(by_rho, BudgetSpec::zcdp(number("0.001")));
  EXPECT_THROW(charge(by_rho, BudgetSpec::approximate(number("0.01"), delta)), InvalidInput);
  PrivacyFilter by_epsilon("d", BudgetSpec::approximate(1, delta));
  charge(by_epsilon, BudgetSpec::pure(number("0.001")));
  EXPECT_THROW(charge(by_epsilon, BudgetSpec::zcdp(number("0.001"))), InvalidInput);
}

TEST(PrivacyFilter, ARefusedFirstReleaseSettlesNothing) {
  PrivacyFilter filter("d", BudgetSpec::approximate(1, number("1e-5")));
  EXPECT_THROW(charge(filter, BudgetSpec::pure(2)), BudgetExceeded);
  charge(filter, BudgetSpec::zcdp(number("0.001")));
  EXPECT_EQ(filter.balance().unit, Notion::zcdp);
}

TEST(PrivacyFilter, PriceMustStayWithinWhatIsAsked) {
  EXPECT_TRUE(stays_within(Guarantee::of_bounded_range(1), BudgetSpec::pure(1)));
  EXPECT_FALSE(stays_within(Guarantee::of_bounded_range(number("1.000000000000000001")), BudgetSpec::pure(1)));
  EXPECT_FALSE(stays_within(Guarantee::zcdp(number("0.001")), BudgetSpec::pure(1)));
  EXPECT_TRUE(stays_within(Guarantee::of_bounded_range(1), BudgetSpec::zcdp(Rational(1, 8))));
  EXPECT_FALSE(stays_within(Guarantee::pure(1), BudgetSpec::zcdp(Rational(1, 8))));
  const Rational delta = number("1e-5");
  // What a mechanism makes of its budget stays within it, also where 18 digits cannot write the amount.
  for (const Notion notion : {Notion::pure, Notion::zcdp, Notion::approximate}) {
    BudgetSpec third = BudgetSpec::pure(Rational(1, 3));
    third.notion = notion;
    if (notion == Notion::approximate) third.delta = delta / 3;
    const Budget budget = Budget::unledgered(third);
    EXPECT_TRUE(stays_within(Guarantee::of_bounded_range(budget.bounded_range_epsilon()), third)) << third.describe();
    EXPECT_TRUE(stays_within(Guarantee::pure(budget.pure_epsilon()), third)) << third.describe();
  }
  EXPECT_FALSE(stays_within(Guarantee::pure(number("1.1")), BudgetSpec::approximate(1, delta)));
  EXPECT_TRUE(stays_within(Guarantee::pure(1), BudgetSpec::approximate(1, delta)));
  EXPECT_TRUE(stays_within(Guarantee::approximate_dp(1, delta), BudgetSpec::approximate(1, delta)));
  EXPECT_FALSE(stays_within(Guarantee::approximate_dp(1, delta * 2), BudgetSpec::approximate(1, delta)));
}

TEST(PrivacyFilter, CoversWhatCostsNoMoreInTheTotalsNotion) {
  PrivacyFilter filter("d", BudgetSpec::zcdp(1));
  const BudgetSpec asked = BudgetSpec::pure(1);
  filter.charge(asked, Guarantee::of_bounded_range(1));
  EXPECT_TRUE(filter.covers(asked, Guarantee::of_bounded_range(1), Guarantee::of_bounded_range(1)));
  EXPECT_FALSE(filter.covers(asked, Guarantee::of_bounded_range(1), Guarantee::pure(1)));
  // That ρ is all that counts here.
  EXPECT_TRUE(filter.covers(asked, Guarantee::of_bounded_range(1), Guarantee::zcdp(Rational(1, 8))));

  // Where the pure ε let a release in, it must hold.
  PrivacyFilter within_delta("d", BudgetSpec::approximate(1, number("1e-5")));
  const BudgetSpec eighth = BudgetSpec::zcdp(Rational(1, 8));
  within_delta.charge(eighth, Guarantee::of_bounded_range(1));
  EXPECT_TRUE(within_delta.covers(eighth, Guarantee::of_bounded_range(1), Guarantee::of_bounded_range(1)));
  EXPECT_FALSE(within_delta.covers(eighth, Guarantee::of_bounded_range(1), Guarantee::zcdp(Rational(1, 8))));
}

}  // namespace
}  // namespace dppl
