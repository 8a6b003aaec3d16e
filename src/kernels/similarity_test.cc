#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "dppl/error.h"
#include "dppl/random.h"
#include "kernels/cpu.h"
#include "kernels/gemm.h"
#include "kernels/row_math.h"
#include "selection/class_columns.h"
#include "statistics/pair_scores/pair_scores.h"

namespace dppl {
namespace {

const CpuLevel kLevels[] = {CpuLevel::portable, CpuLevel::avx2, CpuLevel::avx512_vnni};

// Runs on the levels this machine has; the original choice comes back at the end.
template <typename Work>
void on_every_level(Work work) {
  const CpuLevel best = cpu_level();
  for (const CpuLevel level : kLevels) {
    if (level > best) continue;
    force_cpu_level(level);
    work();
  }
  unforce_cpu_level();
}

std::vector<float> random_floats(size_t count, uint64_t seed) {
  SeededRandom random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(static_cast<int64_t>(random.next64()) >> 20) * 0x1p-40f;
  return values;
}

template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

TEST(RowMath, ARowHasTheSameBitsAloneAndAnywhereInABlockOnEveryKernel) {
  for (const auto& shape : {std::pair<size_t, size_t>{37, 5}, {64, 16}, {100, 33}, {129, 64}}) {
    const size_t inner = shape.first, outer = shape.second;
    const auto basis = random_floats(inner * outer, 1), row = random_floats(inner, 2);
    std::vector<float> first;
    on_every_level([&] {
      std::vector<float> alone(outer);
      project_rows(row.data(), 1, inner, basis.data(), outer, alone.data());
      if (first.empty()) first = alone;
      EXPECT_TRUE(same_bits(alone, first)) << inner << "x" << outer;
      for (const size_t count : {2u, 3u, 4u, 5u, 8u, 11u}) {
        for (size_t place = 0; place < count; ++place) {
          auto rows = random_floats(count * inner, 3 + place);
          std::copy(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>(place * inner));
          std::vector<float> out(count * outer);
          project_rows(rows.data(), count, inner, basis.data(), outer, out.data());
          const std::vector<float> mine(out.begin() + static_cast<std::ptrdiff_t>(place * outer),
                                        out.begin() + static_cast<std::ptrdiff_t>((place + 1) * outer));
          EXPECT_TRUE(same_bits(mine, first)) << "row " << place << " of " << count;
        }
      }
    });
  }
}

// The check above is not empty: a library's matrix product may round a row differently at another place.
TEST(RowMath, ProjectionIsTheProduct) {
  const size_t count = 7, inner = 50, outer = 21;
  const auto rows = random_floats(count * inner, 4), basis = random_floats(inner * outer, 5);
  std::vector<float> out(count * outer);
  project_rows(rows.data(), count, inner, basis.data(), outer, out.data());
  for (size_t r = 0; r < count; ++r) {
    for (size_t k = 0; k < outer; ++k) {
      double sum = 0;
      for (size_t j = 0; j < inner; ++j)
        sum += static_cast<double>(rows[r * inner + j]) * static_cast<double>(basis[j * outer + k]);
      EXPECT_NEAR(static_cast<double>(out[r * outer + k]), sum, 1e-4);
    }
  }
}

TEST(RowMath, GramAndNormsAgreeOnEveryKernelAndWithAnySplit) {
  const size_t count = 19, n = 45;
  const auto rows = random_floats(count * n, 6);
  std::vector<float> first;
  double first_squares = 0;
  on_every_level([&] {
    std::vector<float> gram(n * n), split(n * n);
    add_gram(rows.data(), count, n, 0, n, gram.data());
    add_gram(rows.data(), count, n, 0, 13, split.data());
    add_gram(rows.data(), count, n, 13, n, split.data() + 13 * n);
    const double squares = sum_of_squares(rows.data(), rows.size());
    if (first.empty()) {
      first = gram;
      first_squares = squares;
    }
    EXPECT_EQ(squares, first_squares);
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j <= i; ++j) {
        EXPECT_EQ(gram[i * n + j], first[i * n + j]);
        EXPECT_EQ(split[i * n + j], first[i * n + j]);
      }
    }
  });
}

QuantisedRows random_quantised(size_t rows, size_t dim, uint64_t seed) {
  QuantisedRows result(rows, dim);
  for (size_t i = 0; i < rows; ++i) result.set(i, random_floats(dim, seed + i));
  return result;
}

std::vector<uint32_t> indices_from(size_t first, size_t count) {
  std::vector<uint32_t> indices(count);
  for (size_t j = 0; j < count; ++j) indices[j] = static_cast<uint32_t>(first + j);
  return indices;
}

const ScoreRange kWhole = ScoreRange::of(0, 2);

TEST(QuantisedRows, KeepWhatTheKernelsRelyOn) {
  const float big = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::denorm_min();
  for (const size_t dim : {1u, 2u, 3u, 24u, 101u}) {
    for (uint64_t i = 0; i < 600; ++i) {
      auto values = random_floats(dim, 5000 + i);
      if (i % 7 == 0) values.assign(dim, big);
      if (i % 7 == 1) values.assign(dim, tiny);
      if (i % 7 == 2) values[i % dim] = -big;
      if (i % 7 == 3) values = std::vector<float>(dim, tiny), values[i % dim] = 4 * tiny;
      if (i % 7 == 4) values.assign(dim, 0);
      QuantisedRows row(1, dim);
      row.set(0, values);
      int64_t squares = 0, sum = 0;
      for (size_t k = 0; k < dim; ++k) {
        const int value = row.row(0)[k], next = k + 1 < dim ? row.row(0)[k + 1] : 0;
        squares += value * value;
        sum += value;
        if (k % 2 == 0) {
          EXPECT_LE(std::abs(value) + std::abs(next), 128);
        }
      }
      EXPECT_EQ(sum, row.sum(0));
      const int64_t factor = row.factor(0);
      EXPECT_LE(factor * factor * squares, kCosineOne);
      if (squares > 0) {
        EXPECT_GT((factor + 1) * (factor + 1) * squares, kCosineOne);
      }
      EXPECT_EQ(factor == 0, i % 7 == 4);
    }
  }
  EXPECT_THROW(QuantisedRows(1, QuantisedRows::kLargestDim + 1), InvalidInput);
}

TEST(QuantisedRows, AreTheSameOnEveryKernel) {
  for (const size_t dim : {1u, 2u, 63u, 64u, 65u, 300u, 1000u}) {
    const auto values = random_floats(dim, dim);
    double largest = 0, dot = 0;
    for (size_t k = 0; k < dim; k += 2) {
      largest = std::max(largest, std::abs(static_cast<double>(values[k])) +
                                      (k + 1 < dim ? std::abs(static_cast<double>(values[k + 1])) : 0));
    }
    std::vector<double> other(values.begin(), values.end());
    std::optional<double> first_dot;
    on_every_level([&] {
      QuantisedRows row(1, dim);
      EXPECT_EQ(row.set(0, values), static_cast<float>(largest / 127));
      std::vector<int64_t> sum(dim, 7);
      add_multiple(row.row(0), dim, 2000001, sum.data());
      dot = 0;
      for (size_t k = 0; k < dim; ++k) {
        EXPECT_EQ(row.row(0)[k], std::lround(static_cast<double>(values[k]) * (127 / largest)));
        EXPECT_EQ(sum[k], 7 + int64_t{2000001} * row.row(0)[k]);
        dot += row.row(0)[k] * other[k];
      }
      const double computed = byte_dot(row.row(0), other.data(), dim);
      EXPECT_NEAR(computed, dot, 1e-9);
      if (!first_dot) first_dot = computed;
      EXPECT_EQ(computed, *first_dot);
    });
  }
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
    on_every_level([&] {
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
        on_every_level([&] {
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

TEST(QuantisedRows, RowsThatAreNotFiniteBecomeZeros) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const float bad : {inf, -inf, nan}) {
    for (const size_t dim : {1u, 5u, 33u, 70u}) {
      for (size_t at = 0; at < dim; at += 4) {
        std::vector<float> row(dim, 1.0f);
        row[at] = bad;
        on_every_level([&] {
          QuantisedRows rows(1, dim);
          rows.set(0, row);
          EXPECT_EQ(rows.factor(0), 0u);
          EXPECT_EQ(rows.sum(0), 0);
          EXPECT_TRUE(std::all_of(rows.row(0), rows.row(0) + dim, [](int8_t value) { return value == 0; }));
        });
      }
    }
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

TEST(ClassColumns, EveryKernelGivesTheDotProductsAndTheErrorHolds) {
  for (const size_t dim : {1u, 2u, 7u, 64u, 333u}) {
    const QuantisedRows rows = random_quantised(29, dim, 77);
    std::vector<WordColumn> columns;
    std::vector<std::vector<int64_t>> sums;
    for (uint64_t j = 0; j < 19; ++j) {
      SeededRandom random(900 + j);
      std::vector<int64_t> sum(dim);
      // Of very different sizes; one is all zeros.
      for (int64_t& value : sum) value = j == 0 ? 0 : static_cast<int64_t>(random.next64()) >> (20 + 2 * j);
      sums.push_back(sum);
      columns.push_back(WordColumn::of(sum, longest_row(rows)));
    }
    on_every_level([&] {
      for (const auto& part : {std::pair<size_t, size_t>{0, 29}, {4, 5}, {11, 25}}) {
        std::vector<std::vector<int32_t>> dots(columns.size(), std::vector<int32_t>(29));
        std::vector<int32_t*> out;
        for (auto& one : dots) out.push_back(one.data());
        ColumnPanels(columns).multiply(rows, part.first, part.second, out);
        for (size_t j = 0; j < columns.size(); ++j) {
          for (size_t i = part.first; i < part.second; ++i) {
            int64_t words = 0, exact = 0;
            for (size_t k = 0; k < dim; ++k) {
              words += columns[j].words[k] * rows.row(i)[k];
              exact += sums[j][k] * rows.row(i)[k];
            }
            EXPECT_EQ(dots[j][i - part.first], words);
            const double factor = rows.factor(i);
            EXPECT_LE(
                std::abs(factor * static_cast<double>(words) / columns[j].scale - factor * static_cast<double>(exact)),
                columns[j].error * (1 + 1e-12));
          }
        }
      }
    });
  }
}

TEST(Gemm, MultipliesRowMajorMatrices) {
  const std::vector<float> rows{1, 2, 3, 4, 5, 6}, columns{1, 0, 1, 0, 1, 0};
  std::vector<float> out(4);
  multiply_rows(rows.data(), 2, 3, columns.data(), 2, out.data());
  EXPECT_EQ(out, (std::vector<float>{4, 2, 10, 5}));
  std::vector<float> outer(9);
  multiply_columns(rows.data(), 2, 3, columns.data(), 3, outer.data());
  EXPECT_EQ(outer, (std::vector<float>{1, 4, 1, 2, 5, 2, 3, 6, 3}));
}

}  // namespace
}  // namespace dppl
