#include "kernels/dot_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "dppl/random.h"
#include "kernels/cpu_testing.h"

namespace dppl {
namespace {

// Every number of rows that a kernel takes at once, on values at the edges of what it promises and on random ones.
template <size_t kStep, typename Left, typename Right, typename Kernel>
void expect_products(Left least, Left most, Right edge, const Kernel& kernel) {
  for (const size_t steps : {0u, 1u, 2u, 17u}) {
    for (const bool at_the_edges : {true, false}) {
      on_every_level([&](CpuLevel level) {
        SeededRandom random(steps);
        std::vector<Left> panel(steps * kPanel * kStep);
        std::vector<Right> values(kLargestWidth * (steps * kStep + 4));
        const auto draw = [&](int64_t low, int64_t high) {
          const auto range = static_cast<uint64_t>(high - low);
          return at_the_edges ? (random.next64() % 2 == 0 ? low : high)
                              : low + static_cast<int64_t>(random.next64() % (range + 1));
        };
        for (Left& value : panel) value = static_cast<Left>(draw(least, most));
        for (Right& value : values) value = static_cast<Right>(draw(-edge, edge));
        const DotKernels& kernels = dot_kernels();
        ASSERT_LE(kernels.width, kLargestWidth);
        for (size_t count = 1; count <= kernels.width; ++count) {
          std::vector<const Right*> rows;
          for (size_t c = 0; c < count; ++c) rows.push_back(values.data() + c * (steps * kStep + 4));
          std::vector<int32_t> dots(count * kPanel, -1), expected(count * kPanel);
          for (size_t k = 0; k < steps * kStep; ++k) {
            for (size_t i = 0; i < expected.size(); ++i) {
              expected[i] += panel[(k / kStep * kPanel + i % kPanel) * kStep + k % kStep] * rows[i / kPanel][k];
            }
          }
          kernel(kernels, panel.data(), steps, rows.data(), count, dots.data());
          EXPECT_EQ(dots, expected) << to_string(level) << ", " << steps << " steps, " << count << " rows";
        }
      });
    }
  }
}

TEST(DotKernels, GiveTheProductsOfBytes) {
  // Two neighbouring products fit 16 bits: 255·(64 + 64).
  expect_products<kByteStep, uint8_t, int8_t>(
      0, 255, 64, [](const DotKernels& kernels, auto... arguments) { kernels.bytes(arguments...); });
}

TEST(DotKernels, GiveTheProductsOfWords) {
  expect_products<kWordStep, int16_t, int16_t>(
      -4096, 4096, 4096, [](const DotKernels& kernels, auto... arguments) { kernels.words(arguments...); });
}

TEST(DotKernels, SumScoresCutAtBothEnds) {
  std::vector<double> factors(kPanel);
  std::vector<int32_t> dots(kPanel);
  SeededRandom random(3);
  for (int round = 0; round < 200; ++round) {
    for (double& factor : factors) factor = static_cast<double>(random.next64() % (1 << 12));
    for (int32_t& dot : dots) dot = static_cast<int32_t>(random.next64() % 20001) - 10000;
    const ScoreTile tile{factors.data(), -1e9, 3e9};
    const int32_t offset = 77;
    const double row_factor = 321;
    double expected = 0;
    for (size_t r = 0; r < kPanel; ++r) {
      expected += std::clamp((dots[r] - offset) * factors[r] * row_factor - tile.low, 0.0, tile.top);
    }
    on_every_level([&](CpuLevel level) {
      EXPECT_EQ(dot_kernels().score_sum(tile, dots.data(), offset, row_factor), expected) << to_string(level);
    });
  }
}

}  // namespace
}  // namespace dppl
