#include "rows/sharded_rows.h"

#include <gtest/gtest.h>

#include "support/random_rows.h"

namespace dppl {
namespace {

using testing::random_quantised;

// One of them is empty.
const size_t kSizes[] = {3, 0, 1, 5};

ShardedRows some_rows() {
  std::vector<QuantisedRows> shards;
  for (const size_t size : kSizes) shards.push_back(random_quantised(size, 4, 10 * size));
  return ShardedRows(std::move(shards));
}

TEST(ShardedRows, NumbersRowsThroughAllShards) {
  const ShardedRows rows = some_rows();
  EXPECT_EQ(rows.rows(), 9u);
  EXPECT_EQ(rows.dim(), 4u);
  size_t i = 0;
  for (size_t s = 0; s < std::size(kSizes); ++s) {
    EXPECT_EQ(rows.first(s), i);
    for (size_t j = 0; j < kSizes[s]; ++j, ++i) {
      EXPECT_EQ(rows.find(i), s);
      EXPECT_EQ(rows.factor(i), rows.shard(s).factor(j));
    }
  }
  const ShardedRows one = random_quantised(2, 4, 1);
  EXPECT_EQ(one.find(1), 0u);
}

// Every row of a range once, in order; and every place of a list once, whatever its order.
TEST(ShardedRows, PiecesAndRunsHaveAllRows) {
  const ShardedRows rows = some_rows();
  for (size_t begin = 0; begin <= 9; ++begin) {
    for (size_t end = begin; end <= 9; ++end) {
      size_t next = begin;
      rows.each_piece(begin, end, [&](size_t s, size_t from, size_t to) {
        EXPECT_LT(from, to);
        EXPECT_LE(to, kSizes[s]);
        EXPECT_EQ(rows.first(s) + from, next);
        next = rows.first(s) + to;
      });
      EXPECT_EQ(next, end);
    }
  }
  const std::vector<uint32_t> indices{0, 2, 3, 8, 4, 1, 1, 3};
  std::vector<uint32_t> seen;
  rows.each_run(indices, [&](size_t s, std::span<const uint32_t> own, size_t place) {
    EXPECT_EQ(place, seen.size());
    for (const uint32_t i : own) seen.push_back(static_cast<uint32_t>(rows.first(s) + i));
  });
  EXPECT_EQ(seen, indices);
}

}  // namespace
}  // namespace dppl
