#include "kernels/gemm.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace dppl
