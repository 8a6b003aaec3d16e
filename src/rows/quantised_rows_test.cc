#include "rows/quantised_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "dppl/error.h"
#include "kernels/cpu_testing.h"
#include "kernels/row_math.h"
#include "support/random_rows.h"

namespace dppl {
namespace {

using testing::random_floats;

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
    on_every_level([&](CpuLevel) {
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

TEST(QuantisedRows, RowsThatAreNotFiniteBecomeZeros) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const float bad : {inf, -inf, nan}) {
    for (const size_t dim : {1u, 5u, 33u, 70u}) {
      for (size_t at = 0; at < dim; at += 4) {
        std::vector<float> row(dim, 1.0f);
        row[at] = bad;
        on_every_level([&](CpuLevel) {
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

}  // namespace
}  // namespace dppl
