#include "random/lazy_categorical.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "dppl/error.h"
#include "support/checks.h"
#include "support/statistics.h"

namespace dppl {
namespace {

using testing::Scores;

// Values behind bounds that are `slack` too high; counts how often each was asked for.
struct Hidden {
  Scores values, upper;
  std::vector<int> asked;

  Hidden(Scores exact, const std::function<int64_t(size_t)>& slack)
      : values(std::move(exact)), upper(values), asked(values.size()) {
    for (size_t i = 0; i < upper.size(); ++i) upper[i] += slack(i);
  }

  BoundedValues bounded() {
    return {upper, [this](std::span<const uint32_t> indices, std::span<int64_t> out) {
              for (size_t j = 0; j < indices.size(); ++j) {
                out[j] = values[indices[j]];
                ++asked[indices[j]];
              }
            }};
  }
};

// n = 100,000 draws for each score vector, α = 1e-6, for bounds that are exact, uneven and hopeless.
TEST(LazyCategorical, HasTheLawWhateverTheBounds) {
  const std::vector<std::function<int64_t(size_t)>> slacks = {[](size_t) { return 0; },
                                                              [](size_t i) { return static_cast<int64_t>(i * i % 7); },
                                                              [](size_t i) { return i % 2 == 0 ? 1000000 : 0; }};
  for (size_t s = 0; s < slacks.size(); ++s) {
    SeededRandom random(11 + s);
    const auto select = [&](const Scores& scores, const Rational& epsilon, int64_t per_record) {
      Hidden hidden(scores, slacks[s]);
      return lazy_categorical_exp(random, hidden.bounded(), epsilon / Rational(per_record)).index;
    };
    EXPECT_TRUE(testing::has_law(select, testing::exponential_law, 6)) << s;
  }
}

// More candidates than are asked for before the first proposals, so that proposals, acceptance and the values that are
// never looked at all take part. n = 200,000, α = 1e-6; bounds taken for values would be seen.
TEST(LazyCategorical, HasTheLawWhereMostValuesStayUnknown) {
  const size_t count = 400;
  Scores values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<int64_t>(i * 37 % 100) + (i < 100 ? 0 : -3 * static_cast<int64_t>(i));
  for (int64_t& value : values) value += 1300;
  const auto slack = [](size_t i) { return static_cast<int64_t>(i * 13 % 20); };
  const Rational unit(1, 25);
  SeededRandom random(5);
  size_t evaluated = 0;
  const auto counts = testing::count_draws(200000, count, [&] {
    Hidden hidden(values, slack);
    const LazyDraw draw = lazy_categorical_exp(random, hidden.bounded(), unit);
    evaluated += draw.evaluated;
    return draw.index;
  });
  EXPECT_GT(testing::chi_square_p_value(counts, testing::exponential_law(values, 1, 25)), testing::kAlpha);
  EXPECT_LT(testing::chi_square_p_value(counts, testing::exponential_law(Hidden(values, slack).upper, 1, 25)),
            testing::kAlpha)
      << "no power";
  EXPECT_LT(evaluated, 200000 * count / 3);
}

TEST(LazyCategorical, AsksForFewValuesWhereBoundsAreTightAndForEachOnceAtMost) {
  SeededRandom random(8);
  const size_t count = 50000;
  Scores values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<int64_t>(i * 7919 % count);
  for (const int64_t slack : {int64_t{100}, int64_t{1000000}}) {
    Hidden hidden(values, [&](size_t i) { return i % 3 == 0 ? slack : 0; });
    const LazyDraw draw = lazy_categorical_exp(random, hidden.bounded(), Rational(1, 10));
    EXPECT_LE(*std::max_element(hidden.asked.begin(), hidden.asked.end()), 1);
    EXPECT_EQ(static_cast<size_t>(std::count(hidden.asked.begin(), hidden.asked.end(), 1)), draw.evaluated);
    if (slack == 100) {
      EXPECT_LE(draw.evaluated, 1000u);
    }
    EXPECT_GT(values[draw.index], static_cast<int64_t>(count) - 700);
  }
}

// A unit of zero: all alike, also those that are never weighed one by one.
TEST(LazyCategorical, DrawsAmongTheNegligibleToo) {
  SeededRandom random(3);
  // One far above: the others have 2^-62 of its weight or less, and are drawn only if the bounds say otherwise.
  Hidden far(Scores{1000000, 0, 1, 2, 3}, [](size_t) { return 0; });
  for (int i = 0; i < 100; ++i) EXPECT_EQ(lazy_categorical_exp(random, far.bounded(), 1).index, 0u);
  Hidden flat(Scores{9, 4, 0}, [](size_t) { return 5; });
  std::set<size_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(lazy_categorical_exp(random, flat.bounded(), 0).index);
  EXPECT_EQ(seen.size(), 3u);
}

// Gaps of 62 bits in a unit so small that they are next to nothing: none of them is negligible. n = 20,000, α = 1e-6.
TEST(LazyCategorical, AHugeGapIsNotNegligibleInATinyUnit) {
  SeededRandom random(6);
  const int64_t far = int64_t{1} << 62;
  const Rational unit(1, mpz_class(1) << 62);
  const auto counts = testing::count_draws(20000, 2, [&] {
    Hidden hidden(Scores{far, 0}, [](size_t) { return 0; });
    return lazy_categorical_exp(random, hidden.bounded(), unit).index;
  });
  const double less = std::exp(-1.0);
  EXPECT_GT(testing::chi_square_p_value(counts, {1 / (1 + less), less / (1 + less)}), testing::kAlpha);
}

TEST(LazyCategorical, ABoundThatDoesNotHoldIsAnError) {
  SeededRandom random(4);
  Hidden hidden(Scores{5, 5, 5}, [](size_t) { return -1; });
  EXPECT_THROW(lazy_categorical_exp(random, hidden.bounded(), 1), Error);
}

}  // namespace
}  // namespace dppl
