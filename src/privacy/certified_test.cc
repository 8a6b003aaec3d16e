#include "privacy/certified.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace dppl {
namespace {

Rational read(const char* text) { return parse_rational(text, "test"); }

TEST(Certified, RefineOutlastsCancellation) {
  // e^t − e^−t for t = 1e-290: at 192 bits nothing is left of it.
  const Rational tiny = read("1e-290");
  const Enclosure difference = [&](mpfr_prec_t bits) {
    return exp(Interval(tiny, bits)) - exp(Interval(Rational(-tiny), bits));
  };
  EXPECT_LE(difference(192).lower_rational(), 0);
  const Interval refined = refine(difference);
  EXPECT_LE(refined.lower_rational(), 2 * tiny * (1 + read("1e-18")));
  EXPECT_GE(refined.lower_rational(), 2 * tiny * (1 - read("1e-18")));
}

TEST(Certified, BoundsOfNumbersBelowAllExponentsStayUsable) {
  const Interval nothing = exp(Interval(read("-1e300")));
  EXPECT_GT(upper_bound(nothing), 0);
  EXPECT_LT(upper_bound(nothing), read("1e-300"));
  EXPECT_EQ(lower_bound(nothing), 0);
  EXPECT_THROW(upper_bound(exp(Interval(read("1e300")))), std::logic_error);
}

TEST(Certified, SquareRootsAreExactOrOnTheAskedSide) {
  EXPECT_EQ(square_root(read("0.01"), Rounding::up), Rational(1, 10));
  EXPECT_EQ(square_root(0, Rounding::down), 0);
  const Rational above = square_root(2, Rounding::up), below = square_root(2, Rounding::down);
  EXPECT_GT(above * above, 2);
  EXPECT_LT(below * below, 2);
  EXPECT_LT(above - below, read("1e-16"));
}

TEST(Certified, BisectionFindsTheLastDigitThatHolds) {
  const Rational limit(1, 3);
  EXPECT_EQ(smallest_that_holds(0, 1, [&](const Rational& value) { return value >= limit; }),
            read("0.333333333333333334"));
  EXPECT_EQ(largest_that_holds(0, 1, [&](const Rational& value) { return value <= limit; }),
            read("0.333333333333333333"));
  EXPECT_EQ(smallest_that_holds(0, 7, [&](const Rational& value) { return value >= read("0.7"); }), read("0.7"));
  EXPECT_EQ(largest_that_holds(0, 7, [&](const Rational& value) { return value <= read("0.7"); }), read("0.7"));
}

TEST(Certified, StepsDownToWhatHolds) {
  const Rational limit = read("0.999999999999999");
  const Rational found = step_down_until(1, [&](const Rational& value) { return value <= limit; });
  EXPECT_LE(found, limit);
  EXPECT_GT(found, limit - read("1e-14"));
  EXPECT_EQ(step_down_until(1, [](const Rational&) { return false; }), 0);
}

TEST(Certified, TurningPointsAreFoundAtAnyScale) {
  for (const char* text : {"1e-300", "0.3", "5", "1e300"}) {
    const Rational limit = read(text);
    const Rational found = turning_point([&](const Rational& value) { return value > limit; });
    EXPECT_GE(found, limit);
    EXPECT_LE(found, limit * (1 + read("1e-15")));
  }
}

}  // namespace
}  // namespace dppl
