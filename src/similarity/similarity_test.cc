#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "dppl/error.h"
#include "dppl/random.h"
#include "similarity/cpu.h"
#include "similarity/dot.h"
#include "similarity/gemm.h"
#include "similarity/row_math.h"

namespace dppl {
namespace {

const CpuLevel kLevels[] = {CpuLevel::portable, CpuLevel::avx2};

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

ScoreRows random_score_rows(size_t rows, size_t dim, uint64_t seed) {
  ScoreRows result(rows, dim);
  for (size_t i = 0; i < rows; ++i) result.set(i, random_floats(dim, seed + i));
  return result;
}

TEST(Scores, EveryKernelGivesTheReferencesIntegers) {
  for (const size_t dim : {1u, 31u, 32u, 33u, 100u}) {
    for (const size_t records : {0u, 1u, 2u, 3u, 4u, 7u, 40u}) {
      const ScoreRows members = random_score_rows(records, dim, 10), candidates = random_score_rows(23, dim, 1000);
      for (const ScoreRange range : {ScoreRange{-1, 1}, ScoreRange{0.05f, 0.2f}}) {
        for (const auto& part : {std::pair<size_t, size_t>{0, 23}, {3, 1}, {5, 6}, {20, 3}}) {
          const size_t first = part.first, count = part.second;
          std::vector<int64_t> expected(count, 5);
          add_scores_reference(members, candidates, first, range, expected);
          on_every_level([&] {
            std::vector<int64_t> scores(count, 5);
            add_scores(members, candidates, first, range, scores);
            EXPECT_EQ(scores, expected) << dim << " " << records;
          });
        }
      }
    }
  }
}

// The proof of the selection mechanisms needs: one record adds between 0 and kScoreTop to every candidate, whatever the
// record.
TEST(Scores, ARecordAddsBetweenZeroAndTheTop) {
  const size_t dim = 24, count = 50;
  const ScoreRows candidates = random_score_rows(count, dim, 2000);
  const float big = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::denorm_min();
  for (uint64_t i = 0; i < 3000; ++i) {
    auto values = random_floats(dim, 5000 + i);
    if (i % 7 == 0) values.assign(dim, big);
    if (i % 7 == 1) values.assign(dim, tiny);
    if (i % 7 == 2) values[i % dim] = -big;
    if (i % 7 == 3) std::copy_n(values.begin(), dim, values.begin());
    ScoreRows record(1, dim);
    record.set(0, values);
    for (const ScoreRange range : {ScoreRange{-1, 1}, ScoreRange{0.4f, 0.7f}, ScoreRange{-0.1f, -0.099f}}) {
      std::vector<int64_t> scores(count);
      add_scores(record, candidates, 0, range, scores);
      for (const int64_t score : scores) {
        EXPECT_GE(score, 0);
        EXPECT_LE(score, kScoreTop);
      }
    }
  }
}

TEST(Scores, AreTheClippedCosine) {
  const size_t dim = 300;
  const auto a = random_floats(dim, 1), b = random_floats(dim, 2);
  ScoreRows x(1, dim), p(1, dim);
  x.set(0, a);
  p.set(0, b);
  double dot = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < dim; ++i) {
    dot += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    aa += static_cast<double>(a[i]) * static_cast<double>(a[i]);
    bb += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  std::vector<int64_t> score(1);
  add_scores(x, p, 0, {-1, 1}, score);
  EXPECT_NEAR(static_cast<double>(score[0]) / static_cast<double>(kScoreTop) * 2 - 1, dot / std::sqrt(aa * bb), 2e-3);
  score[0] = 0;
  add_scores(x, x, 0, {-1, 0.5f}, score);
  EXPECT_EQ(score[0], kScoreTop);
  EXPECT_THROW(ScoreRows(1, ScoreRows::kLargestDim + 1), InvalidInput);
}

TEST(Gemm, MultipliesRowMajorMatrices) {
  const std::vector<float> rows{1, 2, 3, 4, 5, 6}, columns{1, 0, 1, 0, 1, 0};
  std::vector<float> out(4);
  multiply_rows(rows.data(), 2, 3, columns.data(), 2, out.data());
  EXPECT_EQ(out, (std::vector<float>{4, 2, 10, 5}));
}

}  // namespace
}  // namespace dppl
