#include "dppl/slice.h"

#include <gtest/gtest.h>

#include "dppl/error.h"
#include "support/expect_error.h"

namespace dppl {
namespace {

using testing::expect_error;

TEST(Slice, PartsAreContiguousEvenAndTogetherAll) {
  for (const size_t size : {1u, 7u, 64u, 1000u}) {
    for (const size_t unit : {1u, 4u, 16u}) {
      const size_t units = (size + unit - 1) / unit;
      for (size_t count = 1; count <= units; ++count) {
        size_t next = 0, least = units, most = 0;
        for (size_t number = 1; number <= count; ++number) {
          const Slice::Range part = Slice{number, count}.of(size, unit, "rows");
          EXPECT_EQ(part.begin, next);
          EXPECT_EQ(part.begin % unit, 0u);
          least = std::min(least, (part.size() + unit - 1) / unit);
          most = std::max(most, (part.size() + unit - 1) / unit);
          next = part.end;
        }
        EXPECT_EQ(next, size);
        EXPECT_GE(least, 1u);
        EXPECT_LE(most - least, 1u);
      }
    }
  }
}

TEST(Slice, RefusesMoreThanThereAre) {
  expect_error<InvalidInput>([] { Slice{1, 8}.of(7, 1, "rows"); }, {"shard 1/8", "7 rows", "at most 7"});
  expect_error<InvalidInput>([] { Slice{1, 3}.of(32, 16, "images"); }, {"32 images", "multiples of 16", "at most 2"});
}

TEST(Slice, ReadsWhatItWrites) {
  EXPECT_EQ(Slice::parse("3/8").to_string(), "3/8");
  EXPECT_TRUE(Slice::parse("1/1").is_whole());
  for (const char* text :
       {"", "3", "0/8", "9/8", "3/", "/8", "-1/8", "3/8/1", " 3/8", "3 / 8", "1/0", "a/b", "1/99999999999999999999"}) {
    expect_error<InvalidInput>([&] { Slice::parse(text); }, {"shard", "i/N"});
  }
}

}  // namespace
}  // namespace dppl
