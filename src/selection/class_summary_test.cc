#include "selection/class_summary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/selection_rows.h"

namespace dppl {
namespace {

using testing::kScoreRanges;
using testing::mixed_pool;
using testing::rows_around;

// The summary's variance is an eigenvalue's upper bound: at least that in any direction, and close to the largest.
TEST(ClassSummary, VarianceIsAtLeastThatInEveryDirection) {
  const size_t dim = 30;
  for (const size_t records : {2u, 50u, 600u, 1100u}) {
    const QuantisedRows members = rows_around(records, dim, 2, 1.0f, 3);
    const ClassSummary summary = summarise(members, true, 2);
    const QuantisedRows directions = mixed_pool(100, dim, 3);
    double largest = 0;
    for (size_t j = 0; j < directions.rows() + dim; ++j) {
      double sum = 0, squares = 0;
      for (size_t i = 0; i < records; ++i) {
        double value = 0;
        if (j < dim) {
          value = static_cast<double>(members.row(i)[j]) * members.factor(i) * std::ldexp(1, -kFactorBits);
        } else {
          value = static_cast<double>(score_reference(members, i, directions, j - dim, kScoreRanges[0])) /
                  static_cast<double>(kCosineOne);
        }
        sum += value;
        squares += value * value;
      }
      const auto n = static_cast<double>(records);
      const double variance = squares / n - sum / n * sum / n;
      EXPECT_LE(variance, summary.variance * (1 + 1e-9));
      largest = std::max(largest, variance);
    }
    EXPECT_LT(summary.variance, 2 * largest + 0.01) << records;
  }
}

}  // namespace
}  // namespace dppl
