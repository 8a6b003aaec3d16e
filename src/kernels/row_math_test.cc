#include "kernels/row_math.h"

#include <gtest/gtest.h>

#include <cstring>

#include "kernels/cpu_testing.h"
#include "support/random_rows.h"

namespace dppl {
namespace {

using testing::random_floats;

template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

TEST(RowMath, ARowHasTheSameBitsAloneAndAnywhereInABlockOnEveryKernel) {
  for (const auto& shape : {std::pair<size_t, size_t>{37, 5}, {64, 16}, {100, 33}, {129, 64}}) {
    const size_t inner = shape.first, outer = shape.second;
    const auto basis = random_floats(inner * outer, 1), row = random_floats(inner, 2);
    std::vector<float> first;
    on_every_level([&](CpuLevel) {
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
  on_every_level([&](CpuLevel) {
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

TEST(RowMath, NormalisedRowsHaveLengthOneAndZerosStay) {
  for (const size_t n : {1u, 7u, 32u, 33u, 300u}) {
    std::vector<float> row = random_floats(n, n), unit(n);
    on_every_level([&](CpuLevel) {
      normalise_row(row.data(), n, unit.data());
      EXPECT_NEAR(sum_of_squares(unit.data(), n), 1, 1e-6);
      for (size_t i = 0; i < n; ++i) {
        EXPECT_EQ(unit[i], static_cast<float>(static_cast<double>(row[i]) * inverse_length(row.data(), n)));
      }
    });
    std::vector<float> zeros(n, -0.0f);
    normalise_row(zeros.data(), n, zeros.data());
    EXPECT_TRUE(same_bits(zeros, std::vector<float>(n, -0.0f)));
  }
}

// What a record added to a sum can be taken off again, to the bit.
TEST(RowMath, TheOppositeScaleTakesARowOffASum) {
  const size_t n = 300;
  const auto row = random_floats(n, 8);
  on_every_level([&](CpuLevel) {
    std::vector<int64_t> sum(n, 5);
    std::vector<int32_t> integers(n);
    const double squares = truncate_row(row.data(), n, 12345.6, integers.data());
    EXPECT_EQ(add_truncated_row(row.data(), n, 12345.6, sum.data()), squares);
    for (size_t i = 0; i < n; ++i) EXPECT_EQ(sum[i], 5 + integers[i]);
    EXPECT_EQ(add_truncated_row(row.data(), n, -12345.6, sum.data()), squares);
    EXPECT_EQ(sum, std::vector<int64_t>(n, 5));
  });
}

}  // namespace
}  // namespace dppl
