#include "estimation/class_size_estimate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dppl/experiments.h"
#include "random/simulation.h"

namespace dppl {
namespace {

std::vector<int64_t> sizes_of(double ratio) {
  const auto counts = long_tail_counts(500, 100, ratio);
  return {counts.begin(), counts.end()};
}

TEST(ClassSizeEstimate, DistinguishesRatios) {
  EXPECT_EQ(estimate_class_sizes(sizes_of(1), 1).ratio, 1);
  EXPECT_EQ(estimate_class_sizes(sizes_of(2), 1).ratio, 1);
  EXPECT_EQ(estimate_class_sizes(sizes_of(10), 1).ratio, 10);
  EXPECT_EQ(estimate_class_sizes(sizes_of(50), 1).ratio, 100);
  EXPECT_EQ(estimate_class_sizes(sizes_of(100), 1).ratio, 100);
  // In noise of standard deviation 100 too, because its variance is known.
  for (const double ratio : {1.0, 10.0, 100.0}) {
    SeededRandom random(2);
    std::vector<int64_t> sizes = sizes_of(ratio);
    for (int64_t& size : sizes) size += std::llround(100 * normal(random));
    EXPECT_EQ(estimate_class_sizes(sizes, 1e4).ratio, ratio);
  }
}

TEST(ClassSizeEstimate, KnowsWhatItCannotTell) {
  EXPECT_EQ(estimate_class_sizes(sizes_of(100), 1e6).ratio, 0);
  EXPECT_EQ(estimate_class_sizes(std::vector<int64_t>{400}, 1).ratio, 0);
  const ClassSizeEstimate nothing = estimate_class_sizes(std::vector<int64_t>{-30, 5, -20}, 400);
  EXPECT_EQ(nothing.ratio, 0);
  EXPECT_EQ(nothing.records, 3u);
}

TEST(ClassSizeEstimate, IsWithinATenth) {
  for (int64_t size = 10; size < 20000; size += size / 7) {
    const auto records = static_cast<double>(estimate_class_sizes(std::vector<int64_t>(50, size), 1).records);
    EXPECT_NEAR(records, 50.0 * static_cast<double>(size), 0.1 * 50 * static_cast<double>(size)) << size;
  }
}

TEST(ClassSizeEstimate, NeighboursMostlyGiveTheSame) {
  std::vector<int64_t> sizes = sizes_of(10);
  const ClassSizeEstimate guess = estimate_class_sizes(sizes, 100);
  ++sizes[3];
  const ClassSizeEstimate other = estimate_class_sizes(sizes, 100);
  EXPECT_EQ(guess.records, other.records);
  EXPECT_EQ(guess.ratio, other.ratio);
}

}  // namespace
}  // namespace dppl
