#include <gtest/gtest.h>

#include <vector>

#include "dppl/error.h"
#include "dppl/privacy.h"
#include "numbers/interval.h"
#include "support/reference.h"

namespace dppl {
namespace {

// Printed by tests/reference/conversions.py (mpmath, 80 digits).
constexpr Reference kReferences[] = {
    {"zcdp_to_epsilon", "0.0001", "1e-5", "0.04504746208777722798653326447"},
    {"zcdp_to_epsilon", "0.1", "1e-5", "1.914238832003597798531420465"},
    {"zcdp_to_epsilon", "0.5", "1e-6", "5.221534444530169044220961444"},
    {"zcdp_to_epsilon", "2", "1e-9", "14.15014755387459662705379781"},
    {"zcdp_to_epsilon", "20", "1e-30", "93.34061871330096768399038711"},
    {"zcdp_to_epsilon", "0.01", "0.1", "0"},
    {"zcdp_to_delta", "0.0001", "0.05", "0.000002806277382631154661038716765"},
    {"zcdp_to_delta", "0.1", "1", "0.008933245771818361829998659367"},
    {"zcdp_to_delta", "0.1", "0", "0.2667803245473495345904420857"},
    {"zcdp_to_delta", "0.5", "4", "0.0001957954169577215972945985195"},
    {"zcdp_to_delta", "2", "20", "0.0000000000000000001889603387360383337646417163"},
    {"gdp_to_delta", "0.0001", "0.01", "0.0008373242674773423277467971069"},
    {"gdp_to_delta", "0.25", "1", "0.00682959498311457538423501288"},
    {"gdp_to_delta", "1", "0", "0.3829249225480262072754092212"},
    {"gdp_to_delta", "1", "8", "0.000000000000003650821687421790858460266398"},
    {"gdp_to_delta", "4", "2.5", "0.2523691100242094242650730578"},
    {"gdp_to_delta", "1", "11", "0.000000000000000000000000003698447749525760165297342431"},
    {"gdp_to_epsilon", "0.0001", "1e-5", "0.02721941981457713554331412056"},
    {"gdp_to_epsilon", "0.25", "1e-5", "1.993091404415119631149461588"},
    {"gdp_to_epsilon", "1", "1e-6", "4.886554117462211996370499442"},
    {"gdp_to_epsilon", "2", "1e-9", "9.092558368581789818901462122"},
    {"gdp_to_epsilon", "1", "1e-30", "11.74388302523173625397513753"},
    {"gdp_to_epsilon", "16", "0.01", "16.52278915480941386786631844"},
    {"pure_to_delta", "0.1", "0.05", "0.02560353709849545733935061105"},
    {"pure_to_delta", "1", "0", "0.4621171572600097585023184836"},
    {"pure_to_delta", "3", "2.999", "0.0009520979984816938210944192872"},
    {"pure_to_delta", "20", "1", "0.9999999923360499558207530278"},
    {"pure_to_epsilon", "0.1", "1e-5", "0.09998095144439705707294814672"},
    {"pure_to_epsilon", "1", "0.3", "0.4717504026991334262601316213"},
    {"pure_to_epsilon", "3", "1e-30", "3.0"},
    {"pure_to_epsilon", "20", "0.5", "19.30685281737890106602003292"},
    {"bounded_range_to_delta", "0.1", "0.05", "0.006405883819745713555253233612"},
    {"bounded_range_to_delta", "1", "0", "0.2449186624037091292778011315"},
    {"bounded_range_to_delta", "3", "2.999", "0.0000002629674130211252566421448758"},
    {"bounded_range_to_delta", "20", "1", "0.9998503040038661123481870785"},
    {"bounded_range_to_epsilon", "0.1", "1e-5", "0.09804802154319073545830293819"},
    {"bounded_range_to_epsilon", "1", "0.01", "0.8343103857357479284092091787"},
    {"bounded_range_to_epsilon", "3", "1e-12", "2.999998050421729819749919708"},
    {"bounded_range_to_epsilon", "20", "0.5", "17.54410565037703366591695209"},
    {"pure_to_gdp", "0.001", "", "0.001253314114901875153679810608"},
    {"pure_to_gdp", "0.1", "", "0.1253090122116075810649181289"},
    {"pure_to_gdp", "1", "", "1.232035385344900972855672527"},
    {"pure_to_gdp", "5", "", "4.946678445595658592842702312"},
    {"pure_to_gdp", "40", "", "17.18535143694754429847712561"},
    {"pure_to_rdp", "0.001", "1.5", "0.0000007499998437500437499865606443"},
    {"pure_to_rdp", "0.1", "2", "0.00995858439495622398448932726"},
    {"pure_to_rdp", "1", "8", "0.955248374054864411381641486"},
    {"pure_to_rdp", "5", "1.01", "4.936288811266112651420018064"},
    {"pure_to_rdp", "10", "64", "9.999999279382552113259575087"},
};

Rational read(const char* text) { return parse_rational(text, "test"); }

const std::vector<Rational> kEpsilons = {read("1e-6"), read("0.01"), read("0.3"), 1, 4, 30};
const std::vector<Rational> kRhos = {read("1e-8"), read("0.0003"), read("0.02"), read("0.5"), 3, 100};
const std::vector<Rational> kDeltas = {read("1e-30"), read("1e-9"), read("1e-5"), read("0.01"), read("0.6")};

TEST(Conversions, AreAboveTheReferenceAndClose) {
  const Functions functions = {
      {"zcdp_to_epsilon", zcdp_to_epsilon},
      {"zcdp_to_delta", zcdp_to_delta},
      {"gdp_to_delta", gdp_to_delta},
      {"gdp_to_epsilon", gdp_to_epsilon},
      {"pure_to_delta", pure_to_delta},
      {"pure_to_epsilon", pure_to_epsilon},
      {"bounded_range_to_delta", bounded_range_to_delta},
      {"bounded_range_to_epsilon", bounded_range_to_epsilon},
      {"pure_to_gdp", [](const Rational& epsilon, const Rational&) { return pure_to_gdp(epsilon); }},
      {"pure_to_rdp", pure_to_rdp},
  };
  expect_bounds(kReferences, functions, Rounding::up);
}

TEST(Conversions, RationalFormulasAreExact) {
  EXPECT_EQ(pure_to_zcdp(read("0.1")), Rational(1, 200));
  EXPECT_EQ(bounded_range_to_zcdp(read("0.1")), Rational(1, 800));
}

// Calls check(smaller, larger) for neighbours of a grid in ascending order.
template <typename Check>
void for_neighbours(const std::vector<Rational>& grid, const Check& check) {
  for (size_t i = 1; i < grid.size(); ++i) check(grid[i - 1], grid[i]);
}

TEST(Conversions, EpsilonGrowsWithTheCostAndFallsWithDelta) {
  using Function = Rational (*)(const Rational&, const Rational&);
  for (const Function to_epsilon : {zcdp_to_epsilon, gdp_to_epsilon, pure_to_epsilon, bounded_range_to_epsilon}) {
    for (const Rational& delta : kDeltas) {
      for_neighbours(kRhos, [&](const Rational& less, const Rational& more) {
        EXPECT_LE(to_epsilon(less, delta), to_epsilon(more, delta)) << less << " " << more << " " << delta;
      });
    }
    for (const Rational& cost : kRhos) {
      for_neighbours(kDeltas, [&](const Rational& less, const Rational& more) {
        EXPECT_GE(to_epsilon(cost, less), to_epsilon(cost, more)) << cost << " " << less << " " << more;
      });
    }
  }
}

TEST(Conversions, DeltaGrowsWithTheCostAndFallsWithEpsilon) {
  using Function = Rational (*)(const Rational&, const Rational&);
  for (const Function to_delta : {zcdp_to_delta, gdp_to_delta, pure_to_delta, bounded_range_to_delta}) {
    for (const Rational& epsilon : kEpsilons) {
      for_neighbours(kRhos, [&](const Rational& less, const Rational& more) {
        EXPECT_LE(to_delta(less, epsilon), to_delta(more, epsilon)) << less << " " << more << " " << epsilon;
      });
    }
    for (const Rational& cost : kRhos) {
      for_neighbours(kEpsilons, [&](const Rational& less, const Rational& more) {
        EXPECT_GE(to_delta(cost, less), to_delta(cost, more)) << cost << " " << less << " " << more;
      });
    }
  }
}

TEST(Conversions, EpsilonAndDeltaAreInverse) {
  const Rational close = read("1e-15");
  const auto check = [&](auto to_epsilon, auto to_delta) {
    for (const Rational& cost : kRhos) {
      for (const Rational& delta : kDeltas) {
        const Rational epsilon = to_epsilon(cost, delta);
        EXPECT_LE(to_delta(cost, epsilon), delta) << cost << " " << delta;
        if (epsilon == 0) continue;
        EXPECT_GT(to_delta(cost, epsilon * (1 - close)), delta) << cost << " " << delta;
      }
    }
  };
  check(zcdp_to_epsilon, zcdp_to_delta);
  check(gdp_to_epsilon, gdp_to_delta);
  check(pure_to_epsilon, pure_to_delta);
  check(bounded_range_to_epsilon, bounded_range_to_delta);
}

TEST(Conversions, ZcdpIsNeverAboveTheClosedForm) {
  for (const Rational& rho : kRhos) {
    for (const Rational& delta : kDeltas) {
      const Interval closed = Interval(rho) + scale2(sqrt(-Interval(rho) * log(Interval(delta))), 1);
      EXPECT_LE(zcdp_to_epsilon(rho, delta), closed.lower_rational()) << rho << " " << delta;
    }
  }
}

TEST(Conversions, GdpIsNeverAboveItsZcdp) {
  for (const Rational& rho : kRhos) {
    for (const Rational& delta : kDeltas) {
      EXPECT_LE(gdp_to_epsilon(2 * rho, delta), zcdp_to_epsilon(rho, delta)) << rho << " " << delta;
    }
    for (const Rational& epsilon : kEpsilons) {
      EXPECT_LE(gdp_to_delta(2 * rho, epsilon), zcdp_to_delta(rho, epsilon)) << rho << " " << epsilon;
    }
  }
}

TEST(Conversions, TightOnesAreNeverAboveTheRouteThroughZcdp) {
  for (const Rational& epsilon0 : kEpsilons) {
    for (const Rational& epsilon : kEpsilons) {
      EXPECT_LE(pure_to_delta(epsilon0, epsilon), zcdp_to_delta(pure_to_zcdp(epsilon0), epsilon));
      EXPECT_LE(bounded_range_to_delta(epsilon0, epsilon), zcdp_to_delta(bounded_range_to_zcdp(epsilon0), epsilon));
      EXPECT_LE(bounded_range_to_delta(epsilon0, epsilon), pure_to_delta(epsilon0, epsilon));
    }
    for (const Rational& delta : kDeltas) {
      EXPECT_LE(bounded_range_to_epsilon(epsilon0, delta), pure_to_epsilon(epsilon0, delta));
    }
  }
}

TEST(Conversions, GdpOfPureCoversRandomisedResponse) {
  for (const Rational& epsilon0 : kEpsilons) {
    const Rational mu = pure_to_gdp(epsilon0);
    for (const Rational& epsilon : kEpsilons) {
      EXPECT_GE(gdp_to_delta(mu * mu, epsilon), pure_to_delta(epsilon0, epsilon)) << epsilon0 << " " << epsilon;
    }
  }
}

TEST(Conversions, RenyiDivergenceOfPureIsBelowEpsilonAndZcdp) {
  for (const Rational& epsilon : kEpsilons) {
    Rational last = 0;
    for (const char* alpha : {"1.0001", "1.5", "2", "8", "64", "1e6"}) {
      const Rational divergence = pure_to_rdp(epsilon, read(alpha));
      EXPECT_LE(divergence, epsilon);
      EXPECT_LE(divergence, read(alpha) * pure_to_zcdp(epsilon) * (1 + read("1e-17")));
      EXPECT_GE(divergence, last) << epsilon << " " << alpha;
      last = divergence;
    }
  }
}

TEST(Conversions, ExtremeArgumentsGiveBoundsAndNoNonsense) {
  const Rational huge = read("1e300"), tiny = read("1e-300");
  EXPECT_GE(zcdp_to_epsilon(huge, tiny), huge);
  EXPECT_LE(zcdp_to_epsilon(huge, tiny), 2 * huge);
  EXPECT_EQ(zcdp_to_epsilon(tiny, read("1e-5")), 0);
  EXPECT_EQ(zcdp_to_delta(huge, 1), 1);
  EXPECT_GT(zcdp_to_delta(tiny, huge), 0);
  EXPECT_LT(zcdp_to_delta(tiny, huge), tiny);
  EXPECT_EQ(gdp_to_delta(huge, 1), 1);
  EXPECT_LT(gdp_to_delta(tiny, 1), tiny);
  EXPECT_LT(gdp_to_delta(1, huge), tiny);
  EXPECT_GE(gdp_to_epsilon(huge, read("1e-5")), huge / 2);
  EXPECT_LE(gdp_to_epsilon(huge, read("1e-5")), huge);
  EXPECT_EQ(pure_to_delta(huge, 1), 1);
  EXPECT_GE(pure_to_delta(tiny, 0), tiny / 2);
  EXPECT_LE(pure_to_delta(tiny, 0), tiny / 2 * (1 + read("1e-17")));
  EXPECT_EQ(pure_to_epsilon(huge, tiny), huge);
  EXPECT_EQ(pure_to_epsilon(huge, 1 - tiny), huge);
  EXPECT_EQ(bounded_range_to_delta(huge, 1), 1);
  EXPECT_EQ(bounded_range_to_epsilon(huge, 1 - tiny), huge);
  EXPECT_EQ(pure_to_rdp(huge, huge), huge);
  EXPECT_LE(pure_to_rdp(tiny, 2), tiny * tiny * (1 + read("1e-17")));
  EXPECT_GE(pure_to_rdp(tiny, 2), tiny * tiny * (1 - read("1e-17")));
  EXPECT_GE(pure_to_gdp(huge) * pure_to_gdp(huge), 8 * huge);
  EXPECT_LE(pure_to_gdp(huge) * pure_to_gdp(huge), 9 * huge);
  EXPECT_GT(pure_to_gdp(tiny), tiny);
  EXPECT_LT(pure_to_gdp(tiny), 2 * tiny);
}

TEST(Conversions, NoCostStaysNoCost) {
  EXPECT_EQ(zcdp_to_epsilon(0, read("1e-5")), 0);
  EXPECT_EQ(zcdp_to_delta(0, 0), 0);
  EXPECT_EQ(gdp_to_epsilon(0, read("1e-5")), 0);
  EXPECT_EQ(gdp_to_delta(0, 0), 0);
  EXPECT_EQ(pure_to_epsilon(0, read("1e-5")), 0);
  EXPECT_EQ(pure_to_delta(0, 0), 0);
  EXPECT_EQ(bounded_range_to_epsilon(0, read("1e-5")), 0);
  EXPECT_EQ(pure_to_gdp(0), 0);
  EXPECT_EQ(pure_to_rdp(0, 2), 0);
}

TEST(Conversions, RefuseBadArgumentsNamingTheValue) {
  for (const char* delta : {"0", "-0.1", "1", "1.5"}) {
    EXPECT_THROW(zcdp_to_epsilon(1, read(delta)), InvalidInput);
    EXPECT_THROW(gdp_to_epsilon(1, read(delta)), InvalidInput);
    EXPECT_THROW(pure_to_epsilon(1, read(delta)), InvalidInput);
    EXPECT_THROW(bounded_range_to_epsilon(1, read(delta)), InvalidInput);
  }
  EXPECT_THROW(pure_to_zcdp(-1), InvalidInput);
  EXPECT_THROW(bounded_range_to_zcdp(-1), InvalidInput);
  EXPECT_THROW(zcdp_to_delta(-1, 1), InvalidInput);
  EXPECT_THROW(zcdp_to_delta(1, -1), InvalidInput);
  EXPECT_THROW(gdp_to_delta(-1, 1), InvalidInput);
  EXPECT_THROW(pure_to_gdp(-1), InvalidInput);
  EXPECT_THROW(pure_to_rdp(1, 1), InvalidInput);
  try {
    zcdp_to_epsilon(1, read("1.5"));
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("δ = 1.5"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace dppl
