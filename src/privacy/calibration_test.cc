#include <gtest/gtest.h>

#include <vector>

#include "dppl/error.h"
#include "dppl/privacy.h"
#include "support/reference.h"

namespace dppl {
namespace {

// Printed by tests/reference/conversions.py (mpmath, 80 digits).
constexpr Reference kReferences[] = {
    {"zcdp_for_approximate", "0.01", "1e-6", "0.000004358973683142572289675404337"},
    {"zcdp_for_approximate", "0.1", "1e-5", "0.0004329937294018095193977893985"},
    {"zcdp_for_approximate", "1", "1e-5", "0.03055659519763956561264656794"},
    {"zcdp_for_approximate", "1", "1e-30", "0.00392310966573221796603056228"},
    {"zcdp_for_approximate", "10", "1e-9", "1.090785704397015620552383058"},
    {"zcdp_for_approximate", "3", "0.1", "1.065641317123402793042228841"},
    {"gdp_for_approximate", "0.01", "1e-6", "0.003264236240068798647490053637"},
    {"gdp_for_approximate", "0.1", "1e-5", "0.03252078405620391001586719828"},
    {"gdp_for_approximate", "1", "1e-5", "0.2680511232112942179030355724"},
    {"gdp_for_approximate", "1", "1e-30", "0.09022743942771940621228317254"},
    {"gdp_for_approximate", "10", "1e-9", "1.537877336814539959901835192"},
    {"gdp_for_approximate", "3", "0.1", "1.735364440106179248170491523"},
    {"pure_for_approximate", "0.1", "1e-5", "0.1000190483832444022153970088"},
    {"pure_for_approximate", "1", "1e-3", "1.001368312123704469408801428"},
    {"pure_for_approximate", "1", "0.5", "1.861994804058251081634974066"},
    {"pure_for_approximate", "10", "1e-9", "10.00000000100004540042976248"},
    {"bounded_range_for_approximate", "0.1", "1e-5", "0.1019701679666890082133020386"},
    {"bounded_range_for_approximate", "1", "1e-3", "1.051677566225724052998085813"},
    {"bounded_range_for_approximate", "1", "0.5", "3.374189173496831444441979474"},
    {"bounded_range_for_approximate", "10", "1e-9", "10.00006324511758171803629911"},
    {"pure_for_gdp", "0.001", "", "0.0007978845698867659429431852594"},
    {"pure_for_gdp", "0.5", "", "0.4000776894017046230380630264"},
    {"pure_for_gdp", "1", "", "0.8069653463049622158141134542"},
    {"pure_for_gdp", "4", "", "3.760171424353068460370211305"},
    {"pure_for_gdp", "20", "", "53.23128515051247057834701973"},
};

Rational read(const char* text) { return parse_rational(text, "test"); }

// 1/3 has no last digit: the results must stay within it nevertheless.
const std::vector<Rational> kAmounts = {read("1e-9"), read("0.001"), read("0.1"), Rational(1, 3), 1, 7, 100};
const std::vector<Rational> kDeltas = {read("1e-30"), read("1e-9"), read("1e-5"), Rational(1, 7), read("0.9")};

TEST(Calibration, IsBelowTheReferenceAndClose) {
  const Functions functions = {
      {"zcdp_for_approximate", zcdp_for_approximate},
      {"gdp_for_approximate", gdp_for_approximate},
      {"pure_for_approximate", pure_for_approximate},
      {"bounded_range_for_approximate", bounded_range_for_approximate},
      {"pure_for_gdp", [](const Rational& mu, const Rational&) { return pure_for_gdp(mu); }},
  };
  expect_bounds(kReferences, functions, Rounding::down);
}

TEST(Calibration, OfZcdpIsTheExactRootWhereThereIsOne) {
  EXPECT_EQ(bounded_range_for_zcdp(Rational(1, 800)), Rational(1, 10));
  EXPECT_EQ(pure_for_zcdp(Rational(1, 200)), Rational(1, 10));
}

// `parameter` stays within the target, and a slightly larger one would not.
template <typename Cost>
void expect_largest(const Rational& parameter, const Rational& target, const Cost& cost) {
  EXPECT_GT(parameter, 0);
  EXPECT_LE(cost(parameter), target) << parameter << " for " << target;
  EXPECT_GT(cost(parameter * (1 + read("1e-15"))), target) << parameter << " for " << target;
}

TEST(Calibration, MeetsTheTargetAndNoLargerParameterDoes) {
  for (const Rational& target : kAmounts) {
    expect_largest(bounded_range_for_zcdp(target), target, bounded_range_to_zcdp);
    expect_largest(pure_for_zcdp(target), target, pure_to_zcdp);
    expect_largest(pure_for_gdp(target), target, pure_to_gdp);
  }
}

TEST(Calibration, MeetsBothHalvesOfAnApproximateTarget) {
  const auto check = [](auto calibrate, auto to_epsilon, auto to_delta) {
    for (const Rational& epsilon : kAmounts) {
      for (const Rational& delta : kDeltas) {
        const Rational parameter = calibrate(epsilon, delta);
        expect_largest(parameter, delta, [&](const Rational& value) { return to_delta(value, epsilon); });
        EXPECT_LE(to_epsilon(parameter, delta), epsilon) << parameter << " for " << epsilon << ", " << delta;
      }
    }
  };
  check(zcdp_for_approximate, zcdp_to_epsilon, zcdp_to_delta);
  check(
      gdp_for_approximate, [](const Rational& mu, const Rational& delta) { return gdp_to_epsilon(mu * mu, delta); },
      [](const Rational& mu, const Rational& epsilon) { return gdp_to_delta(mu * mu, epsilon); });
  check(pure_for_approximate, pure_to_epsilon, pure_to_delta);
  check(bounded_range_for_approximate, bounded_range_to_epsilon, bounded_range_to_delta);
}

TEST(Calibration, TheDirectRouteGivesMoreThanTheOneThroughZcdp) {
  for (const Rational& epsilon : kAmounts) {
    for (const Rational& delta : kDeltas) {
      const Rational rho = zcdp_for_approximate(epsilon, delta);
      EXPECT_GE(bounded_range_for_approximate(epsilon, delta), bounded_range_for_zcdp(rho)) << epsilon << " " << delta;
      EXPECT_GE(pure_for_approximate(epsilon, delta), pure_for_zcdp(rho)) << epsilon << " " << delta;
      EXPECT_GE(bounded_range_for_approximate(epsilon, delta), pure_for_approximate(epsilon, delta));
      EXPECT_GE(pure_for_approximate(epsilon, delta), epsilon);
    }
  }
}

TEST(Calibration, ExtremeTargetsAreMet) {
  const Rational huge = read("1e300"), tiny = read("1e-300");
  EXPECT_EQ(pure_for_approximate(huge, tiny), huge);
  EXPECT_EQ(bounded_range_for_approximate(huge, tiny), huge);
  EXPECT_GE(bounded_range_for_approximate(tiny, read("0.5")), 1);
  EXPECT_LE(pure_for_approximate(tiny, tiny), 3 * tiny);
  EXPECT_GE(pure_for_approximate(tiny, tiny), 3 * tiny * (1 - read("1e-17")));
  EXPECT_GE(pure_for_gdp(huge), huge * huge / 8);
  EXPECT_LT(pure_for_gdp(tiny), tiny);
  EXPECT_GT(pure_for_gdp(tiny), tiny / 2);
  EXPECT_LE(zcdp_to_epsilon(zcdp_for_approximate(huge, tiny), tiny), huge);
  EXPECT_LE(zcdp_to_epsilon(zcdp_for_approximate(tiny, tiny), tiny), tiny);
  EXPECT_GT(zcdp_for_approximate(tiny, tiny), 0);
  EXPECT_GT(gdp_for_approximate(tiny, tiny), tiny);
}

TEST(Calibration, GaussianVarianceIsTheNextGridPointAbove) {
  EXPECT_EQ(gaussian_variance(100, Rational(1, 2)), 100);
  const Rational step(1, 1 << 20);
  const Rational third = gaussian_variance(2, 3);  // 1/3
  EXPECT_GE(third, Rational(1, 3));
  EXPECT_LT(third - step, Rational(1, 3));
  EXPECT_EQ(Rational(third / step).get_den(), 1);
  EXPECT_EQ(gaussian_variance(read("1e-30"), 1), step);

  const Rational large = gaussian_variance(mpz_class(1) << 45, 3);  // 2^44/3 > 2^40
  EXPECT_EQ(large.get_den(), 1);
  EXPECT_GE(large * 6, mpz_class(1) << 45);
  EXPECT_LT((large - 1) * 6, mpz_class(1) << 45);
  EXPECT_THROW(gaussian_variance(0, 1), InvalidInput);
  EXPECT_THROW(gaussian_variance(1, 0), InvalidInput);
}

TEST(Calibration, RefusesBadTargets) {
  for (const int bad : {0, -1}) {
    EXPECT_THROW(bounded_range_for_zcdp(bad), InvalidInput);
    EXPECT_THROW(pure_for_zcdp(bad), InvalidInput);
    EXPECT_THROW(pure_for_gdp(bad), InvalidInput);
  }
  for (const auto for_approximate :
       {zcdp_for_approximate, gdp_for_approximate, pure_for_approximate, bounded_range_for_approximate}) {
    EXPECT_THROW(for_approximate(0, Rational(1, 10)), InvalidInput);
    EXPECT_THROW(for_approximate(-1, Rational(1, 10)), InvalidInput);
    EXPECT_THROW(for_approximate(1, 0), InvalidInput);
    EXPECT_THROW(for_approximate(1, 1), InvalidInput);
    EXPECT_THROW(for_approximate(1, -1), InvalidInput);
  }
}

}  // namespace
}  // namespace dppl
