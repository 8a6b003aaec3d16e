#include "rows/integer_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dppl/random.h"
#include "kernels/cpu_testing.h"
#include "support/labelled_sample.h"

namespace dppl {
namespace {

using testing::kDim;
using testing::random_rows;

// The bound that the noise is made for: thousands of rows, extreme ones included.
int64_t sum_of_squares(const std::vector<int32_t>& row) {
  int64_t sum = 0;
  for (const int32_t value : row) sum += int64_t{value} * value;
  return sum;
}

TEST(IntegerRow, NeverExceedsTheRadius) {
  const float big = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::denorm_min();
  std::vector<int32_t> out(kDim);
  for (uint64_t i = 0; i < 5000; ++i) {
    auto row = random_rows(1, 100 + i);
    if (i % 9 == 0) row.assign(kDim, big);
    if (i % 9 == 1) row.assign(kDim, tiny);
    if (i % 9 == 2) row[i % kDim] = big;
    if (i % 9 == 3) row.assign(kDim, 0), row[i % kDim] = -1;
    if (i % 9 == 4) row.assign(kDim, 1.0f / 3);
    for (const double clip : {0.0, 1e-3, 1.0, 1e30}) {
      integer_row(row, clip, out);
      EXPECT_LE(sum_of_squares(out), kRadius * kRadius) << i << " " << clip;
    }
    integer_row(row, 0, out);
    // And it is no shorter than truncation makes it.
    EXPECT_GE(std::sqrt(static_cast<double>(sum_of_squares(out))), static_cast<double>(kRadius) - std::sqrt(kDim) - 1);
  }
  std::vector<float> zeros(kDim);
  integer_row(zeros, 0, out);
  EXPECT_EQ(sum_of_squares(out), 0);
}

// Whatever stands in a row, infinities and NaNs too, its integers are within the radius, the same on every instruction
// set.
TEST(IntegerRow, IsWithinTheRadiusForAnyRow) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float specials[] = {inf,
                            -inf,
                            nan,
                            std::numeric_limits<float>::max(),
                            -std::numeric_limits<float>::max(),
                            std::numeric_limits<float>::denorm_min(),
                            0,
                            1};
  SeededRandom random(3);
  for (int i = 0; i < 3000; ++i) {
    const size_t dim = 1 + random.next64() % 70;
    std::vector<float> row = random_rows(1, random.next64(), dim);
    const bool finite = i % 2 == 0;
    for (size_t n = random.next64() % 4; n > 0; --n) {
      row[random.next64() % dim] = specials[(finite ? 3 : 0) + random.next64() % (finite ? 5 : 3)];
    }
    for (const double clip : {0.0, 0.5, 1e-30, 1e30}) {
      std::vector<int32_t> integers(dim), portable(dim);
      integer_row(row, clip, integers);
      force_cpu_level(CpuLevel::portable);
      integer_row(row, clip, portable);
      unforce_cpu_level();
      EXPECT_EQ(integers, portable);
      int64_t squares = 0;
      for (const int32_t value : integers) squares += int64_t{value} * value;
      EXPECT_LE(squares, kRadius * kRadius);
      if (std::any_of(row.begin(), row.end(), [](float value) { return !std::isfinite(value); })) {
        EXPECT_EQ(squares, 0);
      }
    }
  }
}

TEST(IntegerRow, TheMeasuringZeroesWhatIsTooLong) {
  std::vector<int32_t> row{3, -4};
  bound_norm(row, 5);
  EXPECT_EQ(row, (std::vector<int32_t>{3, -4}));
  bound_norm(row, 4);
  EXPECT_EQ(row, (std::vector<int32_t>{0, 0}));
}

}  // namespace
}  // namespace dppl
