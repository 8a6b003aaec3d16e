#include <gtest/gtest.h>

#include "dppl/error.h"
#include "dppl/privacy.h"

namespace dppl {
namespace {

Rational read(const char* text) { return parse_rational(text, "test"); }

const Rational kDelta = read("1e-5");

TEST(Guarantee, RelationsHaveNames) {
  for (const Relation relation : {Relation::add_remove, Relation::replace_in_class}) {
    EXPECT_EQ(parse_relation(to_string(relation)), relation);
  }
  EXPECT_EQ(to_string(Relation::add_remove), "add-remove");
  EXPECT_EQ(to_string(Relation::replace_in_class), "replace-in-class");
  EXPECT_THROW(parse_relation("add_remove"), InvalidInput);
}

TEST(Guarantee, StatesWhatItsNotionImplies) {
  const Guarantee pure = Guarantee::pure(read("0.1"));
  EXPECT_EQ(pure.epsilon, read("0.1"));
  EXPECT_EQ(pure.rho, read("0.005"));
  EXPECT_FALSE(pure.bounded_range || pure.mu_squared || pure.approximate);

  const Guarantee range = Guarantee::of_bounded_range(read("0.1"));
  EXPECT_EQ(range.epsilon, read("0.1"));
  EXPECT_EQ(range.bounded_range, read("0.1"));
  EXPECT_EQ(range.rho, read("0.00125"));

  const Guarantee gdp = Guarantee::gdp(read("0.1"));
  EXPECT_EQ(gdp.mu_squared, read("0.01"));
  EXPECT_EQ(gdp.rho, read("0.005"));
  EXPECT_FALSE(gdp.epsilon);

  const Guarantee zcdp = Guarantee::zcdp(read("0.1"), Relation::replace_in_class);
  EXPECT_EQ(zcdp.rho, read("0.1"));
  EXPECT_EQ(zcdp.relation, Relation::replace_in_class);
  EXPECT_FALSE(zcdp.epsilon || zcdp.mu_squared || zcdp.approximate);

  const Guarantee approximate = Guarantee::approximate_dp(1, kDelta);
  EXPECT_EQ(approximate.approximate, (Guarantee::Approximate{1, kDelta}));
  EXPECT_FALSE(approximate.epsilon || approximate.rho);
}

TEST(Guarantee, RefusesBadAmounts) {
  EXPECT_THROW(Guarantee::pure(-1), InvalidInput);
  EXPECT_THROW(Guarantee::of_bounded_range(-1), InvalidInput);
  EXPECT_THROW(Guarantee::zcdp(-1), InvalidInput);
  EXPECT_THROW(Guarantee::gdp(-1), InvalidInput);
  EXPECT_THROW(Guarantee::approximate_dp(-1, kDelta), InvalidInput);
  EXPECT_THROW(Guarantee::approximate_dp(1, 0), InvalidInput);
  EXPECT_THROW(Guarantee::approximate_dp(1, 1), InvalidInput);
  EXPECT_THROW(Guarantee::zcdp(1).epsilon_at(0), InvalidInput);
  EXPECT_THROW(Guarantee::zcdp(1).epsilon_at(1), InvalidInput);
  EXPECT_THROW(Guarantee::zcdp(1).delta_at(-1), InvalidInput);
  EXPECT_THROW(Guarantee::zcdp(1).rdp_at(1), InvalidInput);
}

TEST(Guarantee, EpsilonAndDeltaTakeTheBestRoute) {
  EXPECT_EQ(Guarantee::pure(1).epsilon_at(kDelta), pure_to_epsilon(1, kDelta));
  EXPECT_EQ(Guarantee::of_bounded_range(1).epsilon_at(kDelta), bounded_range_to_epsilon(1, kDelta));
  EXPECT_EQ(Guarantee::zcdp(1).epsilon_at(kDelta), zcdp_to_epsilon(1, kDelta));
  EXPECT_EQ(Guarantee::gdp(1).epsilon_at(kDelta), gdp_to_epsilon(1, kDelta));
  EXPECT_EQ(Guarantee::gdp(1).delta_at(2), gdp_to_delta(1, 2));
  EXPECT_EQ(Guarantee::of_bounded_range(1).delta_at(read("0.5")), bounded_range_to_delta(1, read("0.5")));
  EXPECT_EQ(Guarantee::pure(1).delta_at(1), 0);

  // Many small pure releases: the sum of the ε's loses against zCDP.
  const Guarantee many = compose(Guarantee::pure(read("0.01")), 1000);
  EXPECT_EQ(many.epsilon_at(kDelta), zcdp_to_epsilon(read("0.05"), kDelta));
  EXPECT_LT(*many.epsilon_at(kDelta), 2);
}

TEST(Guarantee, ApproximateHoldsFromItsOwnPointOn) {
  const Guarantee stated = Guarantee::approximate_dp(1, kDelta);
  EXPECT_EQ(stated.epsilon_at(kDelta), 1);
  EXPECT_EQ(stated.epsilon_at(read("0.1")), 1);
  EXPECT_EQ(stated.epsilon_at(read("1e-6")), std::nullopt);
  EXPECT_EQ(stated.delta_at(1), kDelta);
  EXPECT_EQ(stated.delta_at(read("0.99")), std::nullopt);
  EXPECT_EQ(stated.rdp_at(2), std::nullopt);
}

TEST(Guarantee, MuFollowsFromGdpAndPureOnly) {
  EXPECT_EQ(Guarantee::gdp(read("0.1")).mu(), read("0.1"));
  EXPECT_EQ(Guarantee::pure(1).mu(), pure_to_gdp(1));
  EXPECT_EQ(Guarantee::zcdp(1).mu(), std::nullopt);
  EXPECT_EQ(Guarantee::approximate_dp(1, kDelta).mu(), std::nullopt);
  const Rational mu = *compose(Guarantee::gdp(1), 2).mu();
  EXPECT_GT(mu * mu, 2);
  EXPECT_LT(mu * mu, 2 + read("1e-15"));
}

TEST(Guarantee, RenyiTakesTheSmallerBound) {
  EXPECT_EQ(Guarantee::zcdp(read("0.1")).rdp_at(8), read("0.8"));
  EXPECT_EQ(Guarantee::pure(1).rdp_at(8), pure_to_rdp(1, 8));
  EXPECT_EQ(Guarantee::of_bounded_range(1).rdp_at(2), read("0.25"));
}

TEST(Guarantee, ReplacingIsTwoSteps) {
  const Guarantee range = Guarantee::of_bounded_range(read("0.1")).replace_one();
  EXPECT_EQ(range.epsilon, read("0.2"));
  EXPECT_EQ(range.bounded_range, read("0.2"));
  EXPECT_EQ(range.rho, read("0.005"));
  EXPECT_EQ(range.relation, Relation::replace_in_class);
  EXPECT_EQ(Guarantee::gdp(3).replace_one().mu(), 6);
  EXPECT_EQ(Guarantee::zcdp(3).replace_one().rho, 12);

  const Guarantee::Approximate approximate = *Guarantee::approximate_dp(1, kDelta).replace_one().approximate;
  EXPECT_EQ(approximate.epsilon, 2);
  EXPECT_GE(approximate.delta, read("3.718281828459045235e-5"));
  EXPECT_LE(approximate.delta, read("3.71828182845904524e-5"));
  EXPECT_EQ(Guarantee::approximate_dp(read("1e300"), kDelta).replace_one().approximate->delta, 1);
  EXPECT_THROW(range.replace_one(), InvalidInput);
}

TEST(Guarantee, APersonWithSeveralRecordsPaysForAll) {
  const Guarantee range = Guarantee::of_bounded_range(read("0.1")).for_person_with(5);
  EXPECT_EQ(range.epsilon, read("0.5"));
  EXPECT_EQ(range.bounded_range, read("0.5"));
  EXPECT_EQ(range.rho, read("0.03125"));  // 25·0.1²/8
  EXPECT_EQ(range.relation, Relation::add_remove_person);
  EXPECT_EQ(Guarantee::gdp(3).for_person_with(4).mu(), 12);
  EXPECT_EQ(Guarantee::zcdp(read("0.125")).for_person_with(10).rho, read("12.5"));
  EXPECT_EQ(Guarantee::zcdp(1).for_person_with(1).rho, 1);

  // (1 + e + e²)·1e-5
  const Guarantee::Approximate approximate = *Guarantee::approximate_dp(1, kDelta).for_person_with(3).approximate;
  EXPECT_EQ(approximate.epsilon, 3);
  EXPECT_GE(approximate.delta, read("1.1107337927389695e-4"));
  EXPECT_LE(approximate.delta, read("1.1107337927389696e-4"));
  EXPECT_EQ(Guarantee::approximate_dp(1, kDelta).for_person_with(1000000).approximate->delta, 1);
  EXPECT_EQ(Guarantee::approximate_dp(1, kDelta).for_person_with(1).approximate->delta, kDelta);
  EXPECT_THROW(range.for_person_with(2), InvalidInput);
  EXPECT_THROW(Guarantee::zcdp(1).for_person_with(0), InvalidInput);
}

TEST(Relation, UnitsAreRecordsOrPeople) {
  EXPECT_EQ(parse_unit("person"), Relation::add_remove_person);
  EXPECT_EQ(parse_unit("record"), Relation::add_remove);
  EXPECT_EQ(unit_of(Relation::replace_in_class), "record");
  EXPECT_EQ(parse_relation("add-remove-person"), Relation::add_remove_person);
  EXPECT_THROW(parse_unit("people"), InvalidInput);
}

TEST(Guarantee, CompositionAddsExactly) {
  const Guarantee sum = compose(Guarantee::of_bounded_range(read("0.1")), Guarantee::of_bounded_range(read("0.2")));
  EXPECT_EQ(sum.epsilon, read("0.3"));
  EXPECT_EQ(sum.rho, read("0.00625"));
  EXPECT_EQ(sum.bounded_range, std::nullopt);

  const Guarantee mixed = compose(Guarantee::pure(1), Guarantee::gdp(1));
  EXPECT_EQ(mixed.epsilon, std::nullopt);
  EXPECT_EQ(mixed.rho, 1);
  EXPECT_EQ(mixed.mu_squared, 1 + pure_to_gdp(1) * pure_to_gdp(1));
  EXPECT_EQ(compose(Guarantee::zcdp(1), Guarantee::gdp(1)).mu_squared, std::nullopt);

  const Guarantee stated = compose(Guarantee::approximate_dp(1, kDelta), Guarantee::approximate_dp(2, kDelta));
  EXPECT_EQ(stated.approximate, (Guarantee::Approximate{3, 2 * kDelta}));
  EXPECT_EQ(compose(Guarantee::approximate_dp(1, kDelta), Guarantee::pure(2)).approximate,
            (Guarantee::Approximate{3, kDelta}));
  EXPECT_EQ(compose(Guarantee::approximate_dp(1, kDelta), Guarantee::zcdp(2)).approximate, std::nullopt);
}

TEST(Guarantee, RepeatedCompositionAgreesWithPairs) {
  for (const Guarantee& one : {Guarantee::pure(read("0.3")), Guarantee::of_bounded_range(1), Guarantee::zcdp(2),
                               Guarantee::gdp(1), Guarantee::approximate_dp(1, kDelta)}) {
    EXPECT_EQ(compose(one, 1), one);
    EXPECT_EQ(compose(one, 2), compose(one, one));
    EXPECT_EQ(compose(one, 3), compose(compose(one, one), one));
    EXPECT_EQ(compose(one, 3), compose(one, compose(one, one)));
    EXPECT_THROW(compose(one, 0), InvalidInput);
  }
  // μ grows with √n, whatever the sum of the ε's is.
  EXPECT_LT(*compose(Guarantee::pure(read("0.1")), 100).mu(), read("1.2531"));
}

TEST(Guarantee, DisjointPartsCostTheWorst) {
  const Guarantee worst =
      compose_disjoint(Guarantee::of_bounded_range(read("0.1")), Guarantee::of_bounded_range(read("0.2")));
  EXPECT_EQ(worst.epsilon, read("0.2"));
  EXPECT_EQ(worst.bounded_range, read("0.2"));
  EXPECT_EQ(worst.rho, read("0.005"));
  EXPECT_EQ(compose_disjoint(Guarantee::pure(1), Guarantee::pure(2)), Guarantee::pure(2));
  EXPECT_EQ(compose_disjoint(Guarantee::pure(1), Guarantee::gdp(3)).mu_squared, 9);
  const Guarantee mixed = compose_disjoint(Guarantee::pure(1), Guarantee::zcdp(read("0.1")));
  EXPECT_EQ(mixed.epsilon, std::nullopt);
  EXPECT_EQ(mixed.rho, read("0.5"));
  EXPECT_EQ(
      compose_disjoint(Guarantee::approximate_dp(1, kDelta), Guarantee::approximate_dp(2, kDelta / 2)).approximate,
      (Guarantee::Approximate{2, kDelta}));
}

TEST(Guarantee, OneSeededPartMakesTheWholeNotPrivate) {
  Guarantee seeded = Guarantee::pure(1);
  seeded.is_private = false;
  EXPECT_FALSE(compose(seeded, Guarantee::pure(1)).is_private);
  EXPECT_FALSE(compose(Guarantee::pure(1), seeded).is_private);
  EXPECT_FALSE(compose(seeded, 2).is_private);
  EXPECT_FALSE(compose_disjoint(Guarantee::pure(1), seeded).is_private);
  EXPECT_FALSE(seeded.replace_one().is_private);
  EXPECT_TRUE(compose(Guarantee::pure(1), Guarantee::pure(1)).is_private);
}

TEST(Guarantee, DifferentRelationsDoNotCompose) {
  const Guarantee here = Guarantee::pure(1), there = Guarantee::pure(1, Relation::replace_in_class);
  EXPECT_THROW(compose(here, there), InvalidInput);
  EXPECT_THROW(compose_disjoint(here, there), InvalidInput);
  EXPECT_EQ(compose(there, there).relation, Relation::replace_in_class);
}

}  // namespace
}  // namespace dppl
