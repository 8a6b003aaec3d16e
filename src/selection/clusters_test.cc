#include "selection/clusters.h"

#include <gtest/gtest.h>

#include "support/selection_rows.h"

namespace dppl {
namespace {

using testing::rows_around;

// Every row in one group, and rows around two centres apart.
TEST(Clusters, PartTheRows) {
  const size_t dim = 20;
  const QuantisedRows one = rows_around(40, dim, 1, 0.2f, 3), two = rows_around(60, dim, 2, 0.2f, 4);
  QuantisedRows rows(100, dim);
  std::vector<float> row(dim);
  for (size_t i = 0; i < 100; ++i) {
    const int8_t* from = i < 40 ? one.row(i) : two.row(i - 40);
    std::copy_n(from, dim, row.begin());
    rows.set(i, row);
  }
  std::vector<int> seen(100);
  for (const auto& group : cluster(rows, 8)) {
    EXPECT_FALSE(group.empty());
    for (const uint32_t i : group) {
      ++seen[i];
      EXPECT_EQ(i < 40, group[0] < 40);
    }
  }
  EXPECT_EQ(seen, std::vector<int>(100, 1));
  EXPECT_EQ(cluster(QuantisedRows(0, dim), 8).size(), 0u);
}

}  // namespace
}  // namespace dppl
