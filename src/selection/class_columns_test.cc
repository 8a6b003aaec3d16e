#include "selection/class_columns.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/cpu_testing.h"
#include "support/random_rows.h"

namespace dppl {
namespace {

using testing::random_quantised;

TEST(ClassColumns, EveryKernelGivesTheDotProductsAndTheErrorHolds) {
  for (const size_t dim : {1u, 2u, 7u, 64u, 333u}) {
    const QuantisedRows rows = random_quantised(29, dim, 77);
    std::vector<WordColumn> columns;
    std::vector<std::vector<int64_t>> sums;
    for (uint64_t j = 0; j < 19; ++j) {
      SeededRandom random(900 + j);
      std::vector<int64_t> sum(dim);
      // Of very different sizes; one is all zeros.
      for (int64_t& value : sum) value = j == 0 ? 0 : static_cast<int64_t>(random.next64()) >> (20 + 2 * j);
      sums.push_back(sum);
      columns.push_back(WordColumn::of(std::vector<double>(sum.begin(), sum.end()), longest_row(rows)));
    }
    on_every_level([&](CpuLevel) {
      for (const auto& part : {std::pair<size_t, size_t>{0, 29}, {4, 5}, {11, 25}}) {
        std::vector<std::vector<int32_t>> dots(columns.size(), std::vector<int32_t>(29));
        std::vector<int32_t*> out;
        for (auto& one : dots) out.push_back(one.data());
        ColumnPanels(columns).multiply(rows, part.first, part.second, out);
        for (size_t j = 0; j < columns.size(); ++j) {
          for (size_t i = part.first; i < part.second; ++i) {
            int64_t words = 0, exact = 0;
            for (size_t k = 0; k < dim; ++k) {
              words += columns[j].words[k] * rows.row(i)[k];
              exact += sums[j][k] * rows.row(i)[k];
            }
            EXPECT_EQ(dots[j][i - part.first], words);
            const double factor = rows.factor(i);
            EXPECT_LE(
                std::abs(factor * static_cast<double>(words) / columns[j].scale - factor * static_cast<double>(exact)),
                columns[j].error * (1 + 1e-12));
          }
        }
      }
    });
  }
}

}  // namespace
}  // namespace dppl
