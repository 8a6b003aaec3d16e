#include <gtest/gtest.h>

#include <cmath>

#include "dppl/error.h"
#include "dppl/mechanisms.h"
#include "support/checks.h"
#include "support/statistics.h"

namespace dppl {
namespace {

Budget pure(const Rational& epsilon) { return Budget::unledgered(BudgetSpec::pure(epsilon)); }
Budget zcdp(const Rational& rho) { return Budget::unledgered(BudgetSpec::zcdp(rho)); }

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

}  // namespace
}  // namespace dppl
