#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dppl/random.h"
#include "kernels/cpu_testing.h"
#include "statistics/pair_scores/score_reference.h"
#include "support/random_rows.h"

namespace dppl {
namespace {

using testing::random_floats;
using testing::random_quantised;

const ScoreRange kWhole = ScoreRange::of(0, 2);

std::vector<uint32_t> indices_from(size_t first, size_t count) {
  std::vector<uint32_t> indices(count);
  for (size_t j = 0; j < count; ++j) indices[j] = static_cast<uint32_t>(first + j);
  return indices;
}

// The largest numbers that rows can hold must not overflow in any kernel.
TEST(Scores, EveryKernelGivesTheReferencesIntegersAtTheExtremes) {
  for (const size_t dim : {2u, 64u, 1281u}) {
    QuantisedRows rows(4, dim);
    std::vector<float> values(dim, 1);
    rows.set(0, values);
    for (size_t k = 0; k < dim; k += 2) values[k] = 0;
    rows.set(1, values);
    for (float& value : values) value = -value;
    rows.set(2, values);
    rows.set(3, std::vector<float>(dim, -1));
    on_every_level([&](CpuLevel) {
      std::vector<int32_t> dots(16);
      dots_with(RecordPanels(rows), rows, 0, 4, dots);
      for (size_t i = 0; i < 4; ++i) {
        for (size_t j = 0; j < 4; ++j) {
          int32_t dot = 0;
          for (size_t k = 0; k < dim; ++k) dot += rows.row(i)[k] * rows.row(j)[k];
          EXPECT_EQ(dots[j * 4 + i], dot);
        }
      }
    });
  }
}

TEST(Scores, EveryKernelGivesTheReferencesIntegers) {
  for (const size_t dim : {1u, 2u, 3u, 4u, 5u, 31u, 32u, 33u, 100u}) {
    for (const size_t records : {0u, 1u, 2u, 15u, 16u, 17u, 40u, 600u}) {
      const QuantisedRows members = random_quantised(records, dim, 10), candidates = random_quantised(23, dim, 1000);
      const RecordPanels panels(members);
      for (const ScoreRange& range : {kWhole, ScoreRange::of(Rational(21, 20), Rational(6, 5))}) {
        std::vector<int64_t> expected(23);
        for (size_t j = 0; j < 23; ++j) {
          for (size_t i = 0; i < records; ++i) expected[j] += score_reference(members, i, candidates, j, range);
          expected[j] = range.total(expected[j]);
        }
        on_every_level([&](CpuLevel) {
          for (const auto& part : {std::pair<size_t, size_t>{0, 23}, {3, 1}, {5, 6}, {20, 3}, {1, 13}}) {
            std::vector<int64_t> scores(part.second);
            sum_scores(panels, candidates, indices_from(part.first, part.second), range, scores);
            for (size_t j = 0; j < part.second; ++j)
              EXPECT_EQ(scores[j], expected[part.first + j]) << dim << " " << records;
          }
        });
      }
    }
  }
}

// The proof of the selection mechanisms needs: one record adds between 0 and top() to every candidate, whatever the
// record.
TEST(Scores, ARecordAddsBetweenZeroAndTheTop) {
  const size_t dim = 24, count = 50;
  const QuantisedRows candidates = random_quantised(count, dim, 2000);
  const float big = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::denorm_min();
  for (uint64_t i = 0; i < 3000; ++i) {
    auto values = random_floats(dim, 5000 + i);
    if (i % 7 == 0) values.assign(dim, big);
    if (i % 7 == 1) values.assign(dim, tiny);
    if (i % 7 == 2) values[i % dim] = -big;
    QuantisedRows record(1, dim);
    record.set(0, values);
    for (const ScoreRange& range : {kWhole, ScoreRange::of(Rational(7, 5), Rational(17, 10)),
                                    ScoreRange::of(Rational(9, 10), Rational(901, 1000))}) {
      std::vector<int64_t> scores(count);
      sum_scores(RecordPanels(record), candidates, indices_from(0, count), range, scores);
      for (const int64_t score : scores) {
        EXPECT_GE(score, 0);
        EXPECT_LE(score, range.per_record());
      }
    }
  }
}

TEST(Scores, AreTheClippedCosine) {
  const size_t dim = 300;
  const auto a = random_floats(dim, 1), b = random_floats(dim, 2);
  QuantisedRows rows(2, dim);
  rows.set(0, a);
  rows.set(1, b);
  double dot = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < dim; ++i) {
    dot += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    aa += static_cast<double>(a[i]) * static_cast<double>(a[i]);
    bb += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  const auto score = [&](size_t i, size_t j, const ScoreRange& range) {
    return static_cast<double>(score_reference(rows, i, rows, j, range)) / static_cast<double>(kCosineOne);
  };
  EXPECT_NEAR(score(0, 1, kWhole) - 1, dot / std::sqrt(aa * bb), 2e-3);
  EXPECT_NEAR(score(0, 0, kWhole) - 1, 1, 2e-3);
  EXPECT_NEAR(score(0, 0, ScoreRange::of(0, Rational(3, 2))), 1.5, 1e-9);
  EXPECT_EQ(score(0, 0, ScoreRange::of(Rational(19999, 10000), 2)), 0);
}

// One record more adds between 0 and per_record() to a total, wherever the rounding falls; and what rounding up costs
// of the budget is next to nothing.
TEST(ScoreRange, ATotalGrowsByAtMostWhatOneRecordMayAdd) {
  SeededRandom random(5);
  for (const auto& [low, high] : {std::pair<Rational, Rational>{0, 2},
                                  {Rational(6, 5), Rational(8, 5)},
                                  {Rational(1), Rational(1000001, 1000000)},
                                  {Rational(1, 3), Rational(1)}}) {
    const ScoreRange range = ScoreRange::of(low, high);
    const auto top = static_cast<uint64_t>(range.top());
    EXPECT_LE(range.per_record(), int64_t{1} << 23);
    EXPECT_LT(std::ldexp(static_cast<double>(range.per_record()), range.shift()),
              (1 + 0x1p-21) * static_cast<double>(range.top()));
    for (int i = 0; i < 20000; ++i) {
      const int128 before = static_cast<int128>(random.next64() >> 1) << (i % 18);
      const int64_t added = i % 3 == 0 ? range.top() : static_cast<int64_t>(random.next64() % (top + 1));
      const int64_t growth = range.total(before + added) - range.total(before);
      EXPECT_GE(growth, 0);
      EXPECT_LE(growth, range.per_record());
    }
    // The bound is reached, or nearly: a smaller one would be crossed.
    EXPECT_GE(range.total(range.top()), range.per_record() - 1);
  }
}

TEST(ScoreRange, RoundsOutwardAndKnowsWhenNothingIsCut) {
  EXPECT_TRUE(kWhole.whole());
  EXPECT_EQ(kWhole.top(), 2 * kCosineOne);
  const ScoreRange third = ScoreRange::of(Rational(4, 3), Rational(5, 3));
  EXPECT_FALSE(third.whole());
  EXPECT_EQ(third.low, kCosineOne / 3);
  EXPECT_EQ(third.high, kCosineOne * 2 / 3 + 1);
}

}  // namespace
}  // namespace dppl
