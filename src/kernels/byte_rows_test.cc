#include "kernels/byte_rows.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "dppl/random.h"
#include "kernels/cpu_testing.h"

namespace dppl {
namespace {

TEST(ByteRows, AreSummedAndMeasured) {
  SeededRandom random(1);
  for (const size_t n : {1u, 2u, 3u, 31u, 32u, 33u, 256u, 1279u, 100000u}) {
    for (const bool extreme : {false, true}) {
      std::vector<int8_t> row(n);
      for (int8_t& value : row) value = extreme ? int8_t{-128} : static_cast<int8_t>(random.next64());
      int64_t sum = 0, squares = 0;
      int32_t largest = 0;
      for (size_t i = 0; i < n; ++i) {
        sum += row[i];
        squares += row[i] * row[i];
        if (i % 2 == 0) largest = std::max(largest, std::abs(row[i]) + (i + 1 < n ? std::abs(row[i + 1]) : 0));
      }
      on_every_level([&](CpuLevel) {
        const ByteTotals totals = byte_totals(row.data(), n);
        EXPECT_EQ(totals.sum, sum);
        EXPECT_EQ(totals.squares, squares);
        EXPECT_EQ(largest_byte_pair(row.data(), n), largest);
      });
    }
  }
}

}  // namespace
}  // namespace dppl
