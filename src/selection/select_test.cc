#include "selection/select.h"

#include <gtest/gtest.h>

#include "kernels/cpu_testing.h"
#include "support/selection_laws.h"
#include "support/selection_rows.h"
#include "support/statistics.h"

namespace dppl {
namespace {

using testing::exact_scores;
using testing::kScoreRanges;
using testing::mixed_pool;
using testing::rows_around;

std::vector<Budget> budgets(size_t classes, const Rational& epsilon) {
  return Budget::parallel(Budget::unledgered(BudgetSpec::pure(epsilon)), classes);
}

// The engine against all scores: the same law. 10,000 draws on a pool of 3,000, α = 1e-6; a law at twice the ε is seen.
TEST(SelectRows, HasTheLawOfBruteForce) {
  const size_t dim = 24;
  const QuantisedRows pool = mixed_pool(3000, dim, 1);
  for (const bool clipped : {true, false}) {
    const ScoreRange range = kScoreRanges[clipped ? 1 : 0];
    const size_t records = clipped ? 60 : 6;
    const QuantisedRows members = rows_around(records, dim, 1, 1.0f, 4);
    const SelectionTask task{
        .classes = 1, .records = [&](size_t, unsigned) { return members; }, .range = range, .threads = 1};
    SeededRandom random(17);
    SelectionWork work;
    uint64_t run = 0;
    const auto counts = testing::count_draws(10000, pool.rows(), [&] {
      Random stream = random.stream(run++);
      return select_rows(task, pool, budgets(1, 1), stream, &work).at(0).value.at(0);
    });
    const auto exact = exact_scores(members, pool, range);
    EXPECT_GT(testing::chi_square_p_value(counts, testing::exponential_law(exact, 1, range.per_record())),
              testing::kAlpha);
    EXPECT_LT(testing::chi_square_p_value(counts, testing::exponential_law(exact, 2, range.per_record())),
              testing::kAlpha)
        << "no power";
    EXPECT_EQ(work.pairs, 10000 * records * pool.rows());
    EXPECT_LT(work.evaluated, work.pairs / 2);
  }
}

TEST(SelectRows, ThreadsAndInstructionsNeverChangeAResult) {
  const size_t dim = 24, classes = 40;
  const QuantisedRows pool = mixed_pool(2000, dim, 1);
  for (const bool joint : {false, true}) {
    std::vector<std::vector<size_t>> first;
    on_every_level([&](CpuLevel) {
      for (const unsigned threads : {1u, 2u, 3u}) {
        SeededRandom random(21);
        const SelectionTask task{.classes = classes,
                                 .records = [&](size_t c, unsigned) { return rows_around(c * 5, dim, c, 1.0f, c); },
                                 .range = kScoreRanges[1],
                                 .k = joint ? size_t{3} : size_t{1},
                                 .joint = joint,
                                 .threads = threads};
        std::vector<std::vector<size_t>> chosen;
        for (const Choice& choice : select_rows(task, pool, budgets(classes, 2), random))
          chosen.push_back(choice.value);
        if (first.empty()) first = chosen;
        EXPECT_EQ(chosen, first);
      }
    });
  }
}

}  // namespace
}  // namespace dppl
