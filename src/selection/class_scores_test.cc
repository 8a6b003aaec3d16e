#include "selection/class_scores.h"

#include <gtest/gtest.h>

#include "kernels/cpu_testing.h"
#include "support/selection_rows.h"

namespace dppl {
namespace {

using testing::exact_scores;
using testing::kScoreRanges;
using testing::mixed_pool;
using testing::rows_around;

std::vector<int64_t> upper_bounds(const ClassScores& scores, const QuantisedRows& pool) {
  const std::vector<WordColumn> column{WordColumn::of(scores.summary().shared_sum(), longest_row(pool))};
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
      const QuantisedRows members = rows_around(records, dim, 1, width, 7);
      for (const ScoreRange& range : kScoreRanges) {
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
        // Not vacuous: where nothing is clipped they are exact but for rounding, and close for a narrow class.
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

// A bound without the class's variance is crossed: the check above would see a variance that is too small.
TEST(ClassScores, ABoundThatForgetsTheVarianceIsCrossed) {
  const QuantisedRows pool = mixed_pool(300, 40, 1), members = rows_around(200, 40, 1, 0.5f, 7);
  const ScoreRange range = kScoreRanges[1];
  ClassSummary summary = summarise(members, true, 1);
  const auto exact = exact_scores(members, pool, range);
  const auto crossed = [&](double share) {
    ClassSummary less = summary;
    less.variance *= share;
    const ScoreBound bound(less, range, 0);
    size_t count = 0;
    for (size_t j = 0; j < pool.rows(); ++j) {
      int64_t dot = 0;
      for (size_t k = 0; k < 40; ++k) dot += static_cast<int64_t>(summary.sum[k]) * pool.row(j)[k];
      count += bound(static_cast<double>(dot * pool.factor(j))) < exact[j] ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(crossed(1), 0u);
  EXPECT_GT(crossed(0), 10u);
}

// More records than 64 bits hold scores of: the class's summary alone tells them, so none need be in memory.
TEST(ClassScores, NoNumberOfRecordsOverflows) {
  // The longest rows that there are, along the record and opposite to it; and short ones.
  for (const size_t dim : {size_t{3}, QuantisedRows::kLargestDim}) {
    std::vector<float> row(dim);
    for (size_t k = 0; k < dim; k += 2) row[k] = 1;
    if (dim == 3) row = {1, 2, -1};
    QuantisedRows pool(2, dim), one(1, dim);
    pool.set(0, row);
    one.set(0, row);
    for (float& value : row) value = -value;
    pool.set(1, row);
    for (const int64_t records : {int64_t{1} << 19, (int64_t{1} << 19) + 1, int64_t{1} << 27, int64_t{1} << 38}) {
      ClassSummary summary{.records = static_cast<size_t>(records), .weight = records, .sum = std::vector<int128>(dim)};
      for (size_t k = 0; k < dim; ++k) summary.sum[k] = static_cast<int128>(records) * one.factor(0) * one.row(0)[k];
      const ScoreRange range = ScoreRange::of(0, 2);
      const ClassScores scores(QuantisedRows(0, dim), summary, pool, range, 1);
      std::vector<int64_t> computed(2);
      on_every_level([&](CpuLevel) {
        scores.evaluate(std::vector<uint32_t>{0, 1}, computed);
        for (const size_t j : {0u, 1u}) {
          EXPECT_EQ(computed[j], range.total(static_cast<int128>(score_reference(one, 0, pool, j, range)) * records));
          EXPECT_GE(computed[j], 0);
          EXPECT_LE(computed[j], records * range.per_record());
          EXPECT_GE(upper_bounds(scores, pool)[j], computed[j]);
        }
      });
      EXPECT_LE(records * range.per_record(), int64_t{1} << 62);
    }
  }
}

// Bounds of clusters are tighter where the class is made of parts.
TEST(ClassScores, ClustersTightenTheBounds) {
  const size_t dim = 40;
  const QuantisedRows pool = mixed_pool(300, dim, 1), one = rows_around(100, dim, 1, 0.3f, 3),
                      two = rows_around(100, dim, 5, 0.3f, 4);
  QuantisedRows members(200, dim);
  std::vector<float> row(dim);
  for (size_t i = 0; i < 200; ++i) {
    std::copy_n(i % 2 == 0 ? one.row(i / 2) : two.row(i / 2), dim, row.begin());
    members.set(i, row);
  }
  const ClassScores scores(members, summarise(members, true, 1), pool, kScoreRanges[1], 1);
  ASSERT_TRUE(scores.can_tighten());
  const auto loose = upper_bounds(scores, pool);
  std::vector<uint32_t> all(pool.rows());
  for (uint32_t j = 0; j < all.size(); ++j) all[j] = j;
  std::vector<int64_t> tight(pool.rows());
  scores.tighten(all, tight);
  double before = 0, after = 0;
  const auto exact = exact_scores(members, pool, kScoreRanges[1]);
  for (size_t j = 0; j < pool.rows(); ++j) {
    before += static_cast<double>(loose[j] - exact[j]);
    after += static_cast<double>(tight[j] - exact[j]);
  }
  EXPECT_LT(after, before / 2);
}

}  // namespace
}  // namespace dppl
