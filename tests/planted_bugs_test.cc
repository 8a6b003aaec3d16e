// Broken variants of the library's parts. Each must be caught by the same check that the working part passes: a check
// that cannot fail protects nobody. (A ledger written after the fit is planted in src/ledger/ledger_test.cc.)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "mechanisms/joint_top_k/ranking.h"
#include "random/categorical.h"
#include "random/discrete_gaussian.h"
#include "support/checks.h"

namespace dppl {
namespace {

using testing::Law;
using testing::Scores;

Law with_epsilon_times(double factor, Law law) {
  return [factor, law](const Scores& scores, double epsilon, int64_t per_record) {
    return law(scores, factor * epsilon, per_record);
  };
}

// Scores that may fall as well as rise need ε/2 in the exponent. A general utility passed to the monotone mechanism is
// the missing factor 2; seen from here, the mechanism runs at 2ε.
TEST(PlantedBug, FactorTwoMissing) {
  EXPECT_FALSE(testing::law_is_private(with_epsilon_times(2, testing::exponential_law)));
  EXPECT_FALSE(testing::law_is_private(with_epsilon_times(2, testing::permute_and_flip_law)));
  SeededRandom random(41);
  const auto doubled = [&](const Scores& scores, const Rational& epsilon, int64_t per_record) {
    return categorical_exp(random, scores, 2 * epsilon / Rational(per_record));
  };
  EXPECT_FALSE(testing::has_law(doubled, testing::exponential_law, 6));
}

TEST(PlantedBug, SensitivityTooSmallByTenPercent) {
  EXPECT_FALSE(testing::law_is_private(with_epsilon_times(1 / 0.9, testing::exponential_law)));
  EXPECT_FALSE(testing::law_is_private(with_epsilon_times(1 / 0.9, testing::laplace_max_law)));
  SeededRandom random(42);
  const DiscreteGaussian too_narrow{Rational(81)};  // where 100 was due
  EXPECT_FALSE(testing::is_discrete_gaussian([&] { return too_narrow(random); }, 10, 0));
}

TEST(PlantedBug, NoiseFromAFloat) {
  // Single precision: wide noise has no low digits.
  std::mt19937_64 engine(43);
  std::normal_distribution<float> wide(0, 0x1p35f);
  EXPECT_FALSE(testing::low_digits_are_random([&] { return static_cast<int64_t>(wide(engine)); }));
  // Double precision, rounded: not the discrete Gaussian, which is seen where σ is small.
  std::normal_distribution<double> narrow(0, 0.5);
  EXPECT_FALSE(testing::is_discrete_gaussian([&] { return std::llround(narrow(engine)); }, 0.5, 0));
}

TEST(PlantedBug, ThePapersWeightForTheWorstRank) {
  for (const size_t k : {2u, 3u}) {
    const auto paper = testing::ranked_top_k_law(k, [](size_t y, size_t size) { return testing::choose(y, size); });
    EXPECT_FALSE(testing::law_is_private(paper)) << k;
  }
}

TEST(PlantedBug, OffByOneRank) {
  // C(j, K) for the 0-based rank j: the best set gets probability 0, which one record can change.
  const auto off_by_one =
      testing::ranked_top_k_law(2, [](size_t y, size_t size) { return testing::choose(y - 1, size); });
  EXPECT_FALSE(testing::law_is_private(off_by_one));
  // The right weight, but the next better rank is handed out.
  SeededRandom random(44);
  const auto shifted = [&](const Scores& scores, const Rational& epsilon, int64_t per_record) {
    const auto order = rank_by_score(scores);
    const size_t chosen = categorical_exp(random, scores, epsilon / Rational(per_record));
    const auto rank = std::find(order.begin(), order.end(), chosen) - order.begin();
    return size_t{order[static_cast<size_t>(std::max<std::ptrdiff_t>(rank - 1, 0))]};
  };
  EXPECT_FALSE(testing::has_law(shifted, testing::exponential_law, 6));
}

TEST(PlantedBug, BiasedUniform) {
  SeededRandom random(45);
  EXPECT_FALSE(testing::uniform_is_unbiased([&](uint64_t n) { return random.next64() % n; }));
}

TEST(PlantedBug, ReusedRandomness) {
  // Every coordinate draws from a copy of the same stream.
  SeededRandom random(46);
  const DiscreteGaussian noise{Rational(100)};
  uint64_t call = 0;
  const auto same_stream = [&] {
    ++call;
    Random first = random.stream(call), second = random.stream(call);
    return std::pair(noise(first), noise(second));
  };
  EXPECT_FALSE(testing::is_independent(same_stream));
  // The worst rank and the other members from the same draw: the second choice is a function of the first.
  const auto sets = testing::subsets(6, 2);
  const auto same_draw = [&](const Scores& scores, const Rational& epsilon, int64_t per_record) {
    ++call;
    const auto order = rank_by_score(scores);
    Random first = random.stream(call), second = random.stream(call);
    std::vector<int64_t> log_weights(5);  // on a fine grid, C(y−1, 1)·exp(ε·u_(y)/M)
    for (size_t y = 2; y <= 6; ++y) {
      log_weights[y - 2] = std::llround(
          1e6 * (std::log(static_cast<double>(y - 1)) +
                 epsilon.get_d() * static_cast<double>(scores[order[y - 1]]) / static_cast<double>(per_record)));
    }
    const size_t worst = 2 + categorical_exp(first, log_weights, Rational(1, 1000000));
    const size_t other = uniform_below(second, uint64_t{worst - 1});
    std::vector<size_t> chosen{order[worst - 1], order[other]};
    std::sort(chosen.begin(), chosen.end());
    return static_cast<size_t>(std::find(sets.begin(), sets.end(), chosen) - sets.begin());
  };
  EXPECT_FALSE(testing::has_law(same_draw, testing::joint_top_k_law(2), 6));
}

TEST(PlantedBug, CountWithoutNoise) {
  EXPECT_FALSE(testing::is_discrete_gaussian([] { return int64_t{12}; }, 5, 12));
}

TEST(PlantedBug, ProposalWithoutAcceptance) {
  SeededRandom random(47);
  // Proposal weights rounded up to powers of two, taken for the probabilities.
  const auto careless = [&](const Scores& scores, const Rational& epsilon, int64_t per_record) {
    const int64_t largest = *std::max_element(scores.begin(), scores.end());
    std::vector<uint64_t> weights;
    for (const int64_t score : scores) {
      const double exponent =
          epsilon.get_d() * static_cast<double>(score - largest) / static_cast<double>(per_record) / std::log(2.0);
      weights.push_back(uint64_t{1} << (60 + static_cast<int64_t>(std::ceil(exponent))));
    }
    return Proposal(weights).draw(random);
  };
  EXPECT_FALSE(testing::has_law(careless, testing::exponential_law, 6));
}

}  // namespace
}  // namespace dppl
