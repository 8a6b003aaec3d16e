#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "dppl/mechanisms.h"
#include "mechanisms/joint_top_k/ranking.h"
#include "support/checks.h"
#include "support/statistics.h"

namespace dppl {
namespace {

using testing::Scores;

Budget pure(const Rational& epsilon) { return Budget::unledgered(BudgetSpec::pure(epsilon)); }

TEST(JointTopK, SetsHaveTheLawOfTheDefinition) {
  for (const size_t k : {1u, 2u, 3u, 6u}) {
    SeededRandom random(22);
    const auto sets = testing::subsets(6, k);
    if (k == 6) {
      EXPECT_EQ(joint_top_k(pure(1), random, {Scores{3, 1, 4, 1, 5, 9}, 1}, k).value, sets.front());
      continue;
    }
    const auto select = [&](const Scores& scores, const Rational& epsilon, int64_t per_record) {
      const auto chosen = joint_top_k(pure(epsilon), random, {scores, per_record}, k).value;
      return static_cast<size_t>(std::find(sets.begin(), sets.end(), chosen) - sets.begin());
    };
    EXPECT_TRUE(testing::has_law(select, testing::joint_top_k_law(k), 6)) << k;
  }
}

TEST(JointTopK, LawIsEpsilonPrivateForAllNeighbours) {
  for (const size_t k : {1u, 2u, 3u, 4u}) {
    EXPECT_TRUE(testing::law_is_private(testing::joint_top_k_law(k))) << k;
    // The way it is sampled, through ranks, is the same law.
    const auto ranked =
        testing::ranked_top_k_law(k, [](size_t y, size_t size) { return testing::choose(y - 1, size - 1); });
    EXPECT_TRUE(testing::law_is_private(ranked)) << k;
  }
}

TEST(JointTopK, LargeBinomialsAndLongListsKeepTheLaw) {
  // 2,000 candidates, K = 600: C(1999, 599) has 1,700 binary digits. All scores equal, so every set is equally likely
  // and the chance that candidate 0 is chosen is K/N = 0.3. n = 3,000, α = 1e-6.
  SeededRandom random(23);
  const Scores equal(2000, 7);
  const auto counts = testing::count_draws(3000, 2, [&] {
    const auto chosen = joint_top_k(pure(1), random, {equal, 1}, 600).value;
    EXPECT_EQ(chosen.size(), 600u);
    EXPECT_TRUE(std::adjacent_find(chosen.begin(), chosen.end(), std::greater_equal<>()) == chosen.end());
    return size_t{chosen.front() == 0};
  });
  EXPECT_GT(testing::chi_square_p_value(counts, {0.7, 0.3}), testing::kAlpha);
}

TEST(JointTopK, RanksByScoreThenIndex) {
  SeededRandom random(24);
  for (const uint64_t range : {uint64_t{3}, uint64_t{1000}, uint64_t{1} << 62}) {
    Scores scores(5000);
    for (int64_t& score : scores) score = static_cast<int64_t>(random.next64() % range);
    std::vector<uint32_t> expected(scores.size());
    std::iota(expected.begin(), expected.end(), 0u);
    std::stable_sort(expected.begin(), expected.end(), [&](uint32_t a, uint32_t b) { return scores[a] > scores[b]; });
    EXPECT_EQ(rank_by_score(scores), expected);
  }
}

}  // namespace
}  // namespace dppl
