#include <gtest/gtest.h>

#include <cmath>

#include "kernels/cpu.h"
#include "selection/class_scores.h"
#include "selection/clusters.h"
#include "selection/select.h"
#include "support/selection_laws.h"
#include "support/statistics.h"

namespace dppl {
namespace {

// A normal number, nearly.
float normal(SeededRandom& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.next64() >> 11) * 0x1p-53;
  return static_cast<float>(sum);
}

// Rows around a centre, `width` apart from it; a first direction that is wider than the others.
QuantisedRows cluster(size_t rows, size_t dim, uint64_t centre, float width, uint64_t seed) {
  SeededRandom centre_random(centre), random(seed);
  std::vector<float> middle(dim), row(dim);
  for (float& value : middle) value = normal(centre_random);
  QuantisedRows result(rows, dim);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t k = 0; k < dim; ++k) row[k] = middle[k] + width * normal(random);
    row[0] += 3 * width * normal(random);
    result.set(i, row);
  }
  return result;
}

// Half near the class and half anywhere.
QuantisedRows mixed_pool(size_t rows, size_t dim, uint64_t centre) {
  SeededRandom centre_random(centre), random(99);
  std::vector<float> middle(dim), row(dim);
  for (float& value : middle) value = normal(centre_random);
  QuantisedRows result(rows, dim);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t k = 0; k < dim; ++k) row[k] = (i % 2 == 0 ? middle[k] : 0.0f) + normal(random);
    result.set(i, row);
  }
  return result;
}

std::vector<int64_t> exact_scores(const QuantisedRows& records, const QuantisedRows& pool, ScoreRange range) {
  std::vector<int64_t> scores(pool.rows());
  for (size_t j = 0; j < pool.rows(); ++j) {
    int128 sum = 0;
    for (size_t i = 0; i < records.rows(); ++i) sum += score_reference(records, i, pool, j, range);
    scores[j] = range.total(sum);
  }
  return scores;
}

const ScoreRange kRanges[] = {ScoreRange::of(0, 2), ScoreRange::of(Rational(6, 5), Rational(8, 5)),
                              ScoreRange::of(Rational(11, 10), Rational(13, 10)),
                              ScoreRange::of(Rational(9, 10), Rational(91, 100)), ScoreRange::of(1, 2)};

std::vector<int64_t> upper_bounds(const ClassScores& scores, const QuantisedRows& pool) {
  const std::vector<WordColumn> column{WordColumn::of(scores.summary().sum, longest_row(pool))};
  std::vector<int32_t> dots(pool.rows());
  int32_t* const out[] = {dots.data()};
  ColumnPanels(column).multiply(pool, 0, pool.rows(), out);
  std::vector<int64_t> upper(pool.rows());
  scores.bound(column[0], dots, upper);
  return upper;
}

TEST(ClassScores, BoundsHoldAndScoresAreExact) {
  const size_t dim = 40;
  const QuantisedRows pool = mixed_pool(300, dim, 1);
  for (const size_t records : {0u, 1u, 2u, 30u, 700u}) {
    for (const float width : {0.01f, 0.5f, 3.0f}) {
      const QuantisedRows members = cluster(records, dim, 1, width, 7);
      for (const ScoreRange& range : kRanges) {
        const ClassScores scores(members, summarise(members, true, 2), pool, range, 2);
        const auto exact = exact_scores(members, pool, range);
        std::vector<uint32_t> all(pool.rows());
        for (uint32_t j = 0; j < all.size(); ++j) all[j] = j;
        std::vector<int64_t> computed(pool.rows());
        scores.evaluate(all, computed);
        EXPECT_EQ(computed, exact);
        const auto upper = upper_bounds(scores, pool);
        double above = 0;
        for (size_t j = 0; j < pool.rows(); ++j) {
          EXPECT_GE(upper[j], exact[j]) << records << " " << width << " " << range.low;
          EXPECT_LE(upper[j], static_cast<int64_t>(records) * range.per_record());
          above += static_cast<double>(upper[j] - exact[j]);
        }
        if (scores.can_tighten()) {
          std::vector<int64_t> tight(pool.rows());
          scores.tighten(all, tight);
          for (size_t j = 0; j < pool.rows(); ++j) EXPECT_GE(tight[j], exact[j]) << records << " " << width;
        }
        // Not vacuous: where nothing is cut they are exact but for rounding, and close for a narrow class.
        const double share = above / static_cast<double>(std::max<size_t>(records, 1) * pool.rows()) /
                             static_cast<double>(range.per_record());
        if (range.whole()) {
          EXPECT_LT(share, 1e-3);
        }
        if (width == 0.01f) {
          EXPECT_LT(share, 0.05);
        }
      }
    }
  }
}

// A bound without the class's spread is crossed: the check above would see a spread that is too small.
TEST(ClassScores, ABoundThatForgetsTheSpreadIsCrossed) {
  const QuantisedRows pool = mixed_pool(300, 40, 1), members = cluster(200, 40, 1, 0.5f, 7);
  const ScoreRange range = kRanges[1];
  ClassSummary summary = summarise(members, true, 1);
  const auto exact = exact_scores(members, pool, range);
  const auto crossed = [&](double share) {
    ClassSummary less = summary;
    less.spread *= share;
    const ScoreBound bound(less, range, 0);
    size_t count = 0;
    for (size_t j = 0; j < pool.rows(); ++j) {
      int64_t dot = 0;
      for (size_t k = 0; k < 40; ++k) dot += summary.sum[k] * pool.row(j)[k];
      count += bound(static_cast<double>(dot * pool.factor(j))) < exact[j] ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(crossed(1), 0u);
  EXPECT_GT(crossed(0), 10u);
}

// More records than 64 bits hold scores of: the class's summary alone tells them, so none need be in memory.
TEST(ClassScores, NoNumberOfRecordsOverflows) {
  const size_t dim = 3;
  QuantisedRows pool(2, dim);
  pool.set(0, std::vector<float>{1, 2, -1});
  pool.set(1, std::vector<float>{-1, -2, 1});
  QuantisedRows one(1, dim);
  one.set(0, std::vector<float>{1, 2, -1});
  for (const int64_t records : {int64_t{1} << 19, (int64_t{1} << 19) + 1, int64_t{1} << 27, int64_t{1} << 38}) {
    ClassSummary summary{static_cast<size_t>(records), std::vector<int64_t>(dim), 0};
    for (size_t k = 0; k < dim; ++k) summary.sum[k] = records * one.factor(0) * one.row(0)[k];
    const ScoreRange range = ScoreRange::of(0, 2);
    const ClassScores scores(QuantisedRows(0, dim), summary, pool, range, 1);
    std::vector<int64_t> computed(2);
    scores.evaluate(std::vector<uint32_t>{0, 1}, computed);
    for (const size_t j : {0u, 1u}) {
      EXPECT_EQ(computed[j], range.total(static_cast<int128>(score_reference(one, 0, pool, j, range)) * records));
      EXPECT_GE(computed[j], 0);
      EXPECT_LE(computed[j], records * range.per_record());
      EXPECT_GE(upper_bounds(scores, pool)[j], computed[j]);
    }
    EXPECT_LE(records * range.per_record(), int64_t{1} << 62);
  }
}

// Every row in one group, and rows around two centres apart.
TEST(Clusters, PartTheRows) {
  const size_t dim = 20;
  const QuantisedRows one = cluster(40, dim, 1, 0.2f, 3), two = cluster(60, dim, 2, 0.2f, 4);
  QuantisedRows rows(100, dim);
  std::vector<float> row(dim);
  for (size_t i = 0; i < 100; ++i) {
    const int8_t* from = i < 40 ? one.row(i) : two.row(i - 40);
    std::copy_n(from, dim, row.begin());
    rows.set(i, row);
  }
  std::vector<int> seen(100);
  for (const auto& group : dppl::cluster(rows, 8)) {
    EXPECT_FALSE(group.empty());
    for (const uint32_t i : group) {
      ++seen[i];
      EXPECT_EQ(i < 40, group[0] < 40);
    }
  }
  EXPECT_EQ(seen, std::vector<int>(100, 1));
  EXPECT_EQ(dppl::cluster(QuantisedRows(0, dim), 8).size(), 0u);
}

// Bounds of clusters are tighter where the class is made of parts.
TEST(ClassScores, ClustersTightenTheBounds) {
  const size_t dim = 40;
  const QuantisedRows pool = mixed_pool(300, dim, 1), one = cluster(100, dim, 1, 0.3f, 3),
                      two = cluster(100, dim, 5, 0.3f, 4);
  QuantisedRows members(200, dim);
  std::vector<float> row(dim);
  for (size_t i = 0; i < 200; ++i) {
    std::copy_n(i % 2 == 0 ? one.row(i / 2) : two.row(i / 2), dim, row.begin());
    members.set(i, row);
  }
  const ClassScores scores(members, summarise(members, true, 1), pool, kRanges[1], 1);
  ASSERT_TRUE(scores.can_tighten());
  const auto loose = upper_bounds(scores, pool);
  std::vector<uint32_t> all(pool.rows());
  for (uint32_t j = 0; j < all.size(); ++j) all[j] = j;
  std::vector<int64_t> tight(pool.rows());
  scores.tighten(all, tight);
  double before = 0, after = 0;
  const auto exact = exact_scores(members, pool, kRanges[1]);
  for (size_t j = 0; j < pool.rows(); ++j) {
    before += static_cast<double>(loose[j] - exact[j]);
    after += static_cast<double>(tight[j] - exact[j]);
  }
  EXPECT_LT(after, before / 2);
}

// The spread is an eigenvalue's upper bound: at least the variance in any direction, and close to the largest.
TEST(ClassSummary, SpreadIsAtLeastTheVarianceInEveryDirection) {
  const size_t dim = 30;
  for (const size_t records : {2u, 50u, 600u, 1100u}) {
    const QuantisedRows members = cluster(records, dim, 2, 1.0f, 3);
    const ClassSummary summary = summarise(members, true, 2);
    const QuantisedRows directions = mixed_pool(100, dim, 3);
    double largest = 0;
    for (size_t j = 0; j < directions.rows() + dim; ++j) {
      double sum = 0, squares = 0;
      for (size_t i = 0; i < records; ++i) {
        double value = 0;
        if (j < dim) {
          value = static_cast<double>(members.row(i)[j]) * members.factor(i) * 0x1p-21;
        } else {
          value = static_cast<double>(score_reference(members, i, directions, j - dim, kRanges[0])) /
                  static_cast<double>(kCosineOne);
        }
        sum += value;
        squares += value * value;
      }
      const auto n = static_cast<double>(records);
      const double variance = squares / n - sum / n * sum / n;
      EXPECT_LE(variance, summary.spread * (1 + 1e-9));
      largest = std::max(largest, variance);
    }
    EXPECT_LT(summary.spread, 2 * largest + 0.01) << records;
  }
}

std::vector<Budget> budgets(size_t classes, const Rational& epsilon) {
  return Budget::parallel(Budget::unledgered(BudgetSpec::pure(epsilon)), classes);
}

// The engine against all scores: the same law. 10,000 draws on a pool of 3,000, α = 1e-6; a law at twice the ε is seen.
TEST(SelectRows, HasTheLawOfBruteForce) {
  const size_t dim = 24;
  const QuantisedRows pool = mixed_pool(3000, dim, 1);
  for (const bool clipped : {true, false}) {
    const ScoreRange range = kRanges[clipped ? 1 : 0];
    const size_t records = clipped ? 60 : 6;
    const QuantisedRows members = cluster(records, dim, 1, 1.0f, 4);
    const SelectionTask task{
        .pool = pool, .classes = 1, .records = [&](size_t, unsigned) { return members; }, .range = range, .threads = 1};
    SeededRandom random(17);
    SelectionWork work;
    uint64_t run = 0;
    const auto counts = testing::count_draws(10000, pool.rows(), [&] {
      Random stream = random.stream(run++);
      return select_rows(task, budgets(1, 1), stream, &work).at(0).value.at(0);
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
    for (const CpuLevel level : {CpuLevel::portable, CpuLevel::avx2, CpuLevel::avx512_vnni}) {
      unforce_cpu_level();
      if (level > cpu_level()) continue;
      force_cpu_level(level);
      for (const unsigned threads : {1u, 2u, 3u}) {
        SeededRandom random(21);
        const SelectionTask task{.pool = pool,
                                 .classes = classes,
                                 .records = [&](size_t c, unsigned) { return cluster(c * 5, dim, c, 1.0f, c); },
                                 .range = kRanges[1],
                                 .k = joint ? size_t{3} : size_t{1},
                                 .joint = joint,
                                 .threads = threads};
        std::vector<std::vector<size_t>> chosen;
        for (const Choice& choice : select_rows(task, budgets(classes, 2), random)) chosen.push_back(choice.value);
        if (first.empty()) first = chosen;
        EXPECT_EQ(chosen, first);
      }
    }
    unforce_cpu_level();
  }
}

}  // namespace
}  // namespace dppl
