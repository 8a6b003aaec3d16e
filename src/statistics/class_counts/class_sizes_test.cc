#include "statistics/class_counts/class_sizes.h"

#include <gtest/gtest.h>

#include "dppl/experiments.h"
#include "random/simulation.h"

namespace dppl {
namespace {

std::vector<int64_t> sizes_of(double ratio) {
  const auto counts = long_tail_counts(500, 100, ratio);
  return {counts.begin(), counts.end()};
}

TEST(ClassSizes, EveryClassSpendsTheWholeAndAllTogetherNoMore) {
  for (const BudgetSpec& spec : {BudgetSpec::zcdp(Rational(1, 50)), BudgetSpec::pure(Rational(1, 5))}) {
    SeededRandom random(1);
    std::vector<int64_t> sizes = sizes_of(10);
    const Guarantee spent = release_sizes(sizes, Budget::unledgered(spec), random, 7);
    if (spec.notion == Notion::pure) {
      EXPECT_EQ(*spent.epsilon, spec.amount);
    } else {
      EXPECT_EQ(*spent.rho, spec.amount);
    }
    // The largest and the smallest class get noise alike: 15 standard deviations would be a bug, none too.
    const double sigma = spec.notion == Notion::pure ? 7.1 : 5;
    EXPECT_NE(sizes, sizes_of(10));
    for (size_t c = 0; c < sizes.size(); ++c) {
      EXPECT_NEAR(static_cast<double>(sizes[c]), static_cast<double>(sizes_of(10)[c]), 15 * sigma);
    }
  }
}

TEST(ClassSizes, AGuessTellsRatiosApart) {
  EXPECT_EQ(guess_sizes(sizes_of(1), 1).ratio, 1);
  EXPECT_EQ(guess_sizes(sizes_of(2), 1).ratio, 1);
  EXPECT_EQ(guess_sizes(sizes_of(10), 1).ratio, 10);
  EXPECT_EQ(guess_sizes(sizes_of(50), 1).ratio, 100);
  EXPECT_EQ(guess_sizes(sizes_of(100), 1).ratio, 100);
  // In noise of standard deviation 100 too, because its variance is known.
  for (const double ratio : {1.0, 10.0, 100.0}) {
    SeededRandom random(2);
    std::vector<int64_t> sizes = sizes_of(ratio);
    for (int64_t& size : sizes) size += std::llround(100 * normal(random));
    EXPECT_EQ(guess_sizes(sizes, 1e4).ratio, ratio);
  }
}

TEST(ClassSizes, AGuessKnowsWhatItCannotTell) {
  EXPECT_EQ(guess_sizes(sizes_of(100), 1e6).ratio, 0);
  EXPECT_EQ(guess_sizes(std::vector<int64_t>{400}, 1).ratio, 0);
  const SizeGuess nothing = guess_sizes(std::vector<int64_t>{-30, 5, -20}, 400);
  EXPECT_EQ(nothing.ratio, 0);
  EXPECT_EQ(nothing.records, 3u);
}

TEST(ClassSizes, AGuessIsWithinATenth) {
  for (int64_t size = 10; size < 20000; size += size / 7) {
    const auto records = static_cast<double>(guess_sizes(std::vector<int64_t>(50, size), 1).records);
    EXPECT_NEAR(records, 50.0 * static_cast<double>(size), 0.1 * 50 * static_cast<double>(size)) << size;
  }
}

TEST(ClassSizes, NeighboursMostlyGiveTheSameGuess) {
  std::vector<int64_t> sizes = sizes_of(10);
  const SizeGuess guess = guess_sizes(sizes, 100);
  ++sizes[3];
  const SizeGuess other = guess_sizes(sizes, 100);
  EXPECT_EQ(guess.records, other.records);
  EXPECT_EQ(guess.ratio, other.ratio);
}

}  // namespace
}  // namespace dppl
