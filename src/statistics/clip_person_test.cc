#include "statistics/clip_person.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dppl/random.h"
#include "numbers/integers.h"

namespace dppl {
namespace {

constexpr int64_t kRadius = 1 << 16;

int128 squares_of(const std::vector<int64_t>& values) {
  int128 sum = 0;
  for (const int64_t value : values) sum += static_cast<int128>(value) * value;
  return sum;
}

// 20,000 vectors of all sizes, from what a record has to what 2^31 records have.
TEST(ClipPerson, IsWithinTheRadiusForAnyIntegers) {
  SeededRandom random(3);
  double largest = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<int64_t> sum(1 + random.next64() % 40);
    const uint64_t shift = 16 + random.next64() % 40;
    for (int64_t& value : sum) value = static_cast<int64_t>(random.next64()) >> shift;
    const std::vector<int64_t> before = sum;
    clip_person(sum, kRadius);
    const int128 squares = squares_of(sum);
    ASSERT_LE(squares, static_cast<int128>(kRadius) * kRadius);
    if (squares_of(before) <= static_cast<int128>(kRadius) * kRadius) {
      ASSERT_EQ(sum, before);
    } else {
      largest = std::max(largest, std::sqrt(static_cast<double>(squares)) / kRadius);
      for (size_t k = 0; k < sum.size(); ++k) ASSERT_GE(static_cast<int128>(sum[k]) * before[k], 0);  // same side
    }
  }
  EXPECT_GT(largest, 0.9999);
}

TEST(ClipPerson, KeepsTheDirection) {
  std::vector<int64_t> sum{3 * kRadius, 4 * kRadius, 0};
  clip_person(sum, kRadius);
  EXPECT_NEAR(static_cast<double>(sum[0]), 0.6 * kRadius, 1.01);
  EXPECT_NEAR(static_cast<double>(sum[1]), 0.8 * kRadius, 1.01);
  EXPECT_EQ(sum[2], 0);
  std::vector<int64_t> zeros(5);
  clip_person(zeros, kRadius);
  EXPECT_EQ(zeros, std::vector<int64_t>(5));
}

}  // namespace
}  // namespace dppl
