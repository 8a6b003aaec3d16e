#include "methods/release.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dppl/experiments.h"

namespace dppl {
namespace {

std::vector<int64_t> sizes_of(double ratio) {
  const auto counts = long_tail_counts(500, 100, ratio);
  return {counts.begin(), counts.end()};
}

TEST(ReleaseClassCounts, EveryClassSpendsTheWholeAndAllTogetherNoMore) {
  for (const BudgetSpec& spec : {BudgetSpec::zcdp(Rational(1, 50)), BudgetSpec::pure(Rational(1, 5))}) {
    SeededRandom random(1);
    BoundedSum counts{sizes_of(10), NormBound::added(1)};
    const NoisyClasses released = release_class_counts(counts, Budget::unledgered(spec), FitStreams(random, 100));
    const Guarantee& spent = released.guarantee;
    const std::vector<int64_t>& sizes = counts.values;
    if (spec.notion == Notion::pure) {
      EXPECT_EQ(*spent.epsilon, spec.amount);
    } else {
      EXPECT_EQ(*spent.rho, spec.amount);
    }
    // The largest and the smallest class get the same noise: 15 standard deviations would be a bug, none too.
    const double sigma = std::sqrt(released.variance.get_d());
    EXPECT_NEAR(sigma, spec.notion == Notion::pure ? 7.1 : 5, 0.1);
    EXPECT_NE(sizes, sizes_of(10));
    for (size_t c = 0; c < sizes.size(); ++c) {
      EXPECT_NEAR(static_cast<double>(sizes[c]), static_cast<double>(sizes_of(10)[c]), 15 * sigma);
    }
  }
}

}  // namespace
}  // namespace dppl
