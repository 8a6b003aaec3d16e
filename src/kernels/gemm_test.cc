#include "kernels/gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace dppl {
namespace {

TEST(Gemm, MultipliesRowMajorMatrices) {
  const std::vector<float> rows{1, 2, 3, 4, 5, 6}, columns{1, 0, 1, 0, 1, 0};
  std::vector<float> out(4);
  multiply_rows(rows.data(), 2, 3, columns.data(), 2, out.data());
  EXPECT_EQ(out, (std::vector<float>{4, 2, 10, 5}));
  std::vector<float> outer(9);
  multiply_columns(rows.data(), 2, 3, columns.data(), 3, outer.data());
  EXPECT_EQ(outer, (std::vector<float>{1, 4, 1, 2, 5, 2, 3, 6, 3}));
}

// So that a record's scores do not depend on which records are asked about with it.
TEST(Gemm, ARowHasTheSameProductsWhereverItStands) {
  constexpr size_t kRows = 512;
  for (const auto& [inner, outer] : {std::pair<size_t, size_t>{3, 3}, {384, 7}, {1280, 100}}) {
    std::vector<float> rows(kRows * inner), columns(outer * inner);
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = std::sin(static_cast<float>(i));
    for (size_t i = 0; i < columns.size(); ++i) columns[i] = std::cos(static_cast<float>(i));
    std::vector<float> expected(kRows * outer), out;
    multiply_rows(rows.data(), kRows, inner, columns.data(), outer, expected.data());
    for (const size_t count : {1u, 5u, 20u, 24u, 47u, 100u, 512u}) {
      for (const size_t first : {size_t{0}, size_t{1}, size_t{13}, kRows - count}) {
        if (first + count > kRows) continue;
        out.assign(count * outer, 0);
        multiply_rows(rows.data() + first * inner, count, inner, columns.data(), outer, out.data());
        EXPECT_TRUE(std::equal(out.begin(), out.end(), expected.begin() + static_cast<std::ptrdiff_t>(first * outer)))
            << count << " rows from " << first << " of " << inner << " numbers, for " << outer << " columns";
      }
    }
  }
}

}  // namespace
}  // namespace dppl
