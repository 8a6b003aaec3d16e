#include "dppl/rational.h"

#include <gtest/gtest.h>

#include "dppl/error.h"

namespace dppl {
namespace {

TEST(Rational, ReadsDecimalsAndFractionsExactly) {
  EXPECT_EQ(parse_rational("0.1", "x"), Rational(1, 10));
  EXPECT_EQ(parse_rational("1e-5", "x"), Rational(1, 100000));
  EXPECT_EQ(parse_rational("+12.50E1", "x"), Rational(125));
  EXPECT_EQ(parse_rational(".5", "x"), Rational(1, 2));
  EXPECT_EQ(parse_rational("3.", "x"), Rational(3));
  EXPECT_EQ(parse_rational("6/16", "x"), Rational(3, 8));
  EXPECT_EQ(parse_rational("-2/4", "x"), Rational(-1, 2));
  EXPECT_EQ(parse_rational("0", "x"), Rational(0));
}

TEST(Rational, RefusesEverythingElseNamingTheValue) {
  for (const char* text : {"",   "-",   ".",  "nan", "inf",   "-inf",           "1e",  "1e+",   "0x10",  "1,5",    "1 ",
                           " 1", "1/0", "1/", "/2",  "1e301", "1e-99999999999", "--1", "1.2.3", "1/2/3", "0.1e1.5"}) {
    try {
      parse_rational(text, "--epsilon");
      FAIL() << "accepted '" << text << "'";
    } catch (const InvalidInput& error) {
      EXPECT_NE(std::string(error.what()).find("--epsilon: '" + std::string(text) + "'"), std::string::npos)
          << error.what();
    }
  }
  EXPECT_THROW(parse_rational(std::string(500, '1'), "x"), InvalidInput);
  EXPECT_THROW(parse_positive("0", "x"), InvalidInput);
  EXPECT_THROW(parse_positive("-0.1", "x"), InvalidInput);
}

TEST(Rational, TextReadsBackExactly) {
  for (const char* text : {"0.1", "1/3", "-0.125", "1e-30", "1e-60", "123456789.000000001", "7", "0"}) {
    const Rational value = parse_rational(text, "x");
    EXPECT_EQ(parse_rational(to_string(value), "x"), value) << text;
  }
  EXPECT_EQ(to_string(Rational(1, 8)), "0.125");
  EXPECT_EQ(to_string(Rational(1, 3)), "1/3");
  EXPECT_EQ(to_string(Rational(-5)), "-5");
}

TEST(Rational, RoundsToTheAskedSide) {
  const Rational third(1, 3);
  EXPECT_EQ(to_decimal(third, 3, Rounding::up), "0.334");
  EXPECT_EQ(to_decimal(third, 3, Rounding::down), "0.333");
  EXPECT_EQ(to_decimal(Rational(999), 2, Rounding::up), "1000");
  EXPECT_EQ(to_decimal(parse_rational("1.25e-9", "x"), 3, Rounding::up), "1.25e-9");
  EXPECT_EQ(to_decimal(Rational(0), 3, Rounding::up), "0");
  EXPECT_GE(round_significant(third, 18, Rounding::up), third);
  EXPECT_LE(round_significant(third, 18, Rounding::down), third);
}

}  // namespace
}  // namespace dppl
