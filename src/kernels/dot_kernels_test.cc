#include "kernels/dot_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
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

TEST(DotKernels, GiveTheProductsOfTwoPanelsAsThoseOfEach) {
  on_every_level([&](CpuLevel level) {
    const DotKernels& kernels = dot_kernels();
    ASSERT_LE(kernels.pair_width, kLargestWidth);
    for (const size_t steps : {0u, 1u, 2u, 17u}) {
      SeededRandom random(steps);
      const size_t size = steps * kPanel * kByteStep, length = steps * kByteStep + 4;
      std::vector<uint8_t> panels(2 * size);
      std::vector<int8_t> values(kLargestWidth * length);
      for (uint8_t& value : panels) value = static_cast<uint8_t>(random.next64());
      for (int8_t& value : values) value = static_cast<int8_t>(static_cast<int>(random.next64() % 129) - 64);
      for (size_t count = 1; count <= kernels.pair_width; ++count) {
        std::vector<const int8_t*> rows;
        for (size_t c = 0; c < count; ++c) rows.push_back(values.data() + c * length);
        std::vector<int32_t> both(2 * count * kPanel, -1), expected(2 * count * kPanel), one(kPanel);
        for (size_t i = 0; i < 2 * count; ++i) {
          kPortableDots.bytes(panels.data() + i % 2 * size, steps, &rows[i / 2], 1, one.data());
          std::copy(one.begin(), one.end(), expected.begin() + static_cast<std::ptrdiff_t>(i * kPanel));
        }
        kernels.byte_pairs(panels.data(), steps, rows.data(), count, both.data());
        EXPECT_EQ(both, expected) << to_string(level) << ", " << steps << " steps, " << count << " rows";
      }
    }
  });
}

TEST(DotKernels, SayWhichProductsReachAThreshold) {
  SeededRandom random(5);
  std::vector<int32_t> dots(kPanel);
  std::vector<float> thresholds(kPanel);
  for (int round = 0; round < 200; ++round) {
    const int32_t offset = static_cast<int32_t>(random.next64() % 1000);
    const float factor = static_cast<float>(random.next64() % 4096);
    uint32_t expected = 0;
    for (size_t r = 0; r < kPanel; ++r) {
      dots[r] = static_cast<int32_t>(random.next64() % 20001) - 10000;
      const float value = static_cast<float>(dots[r] - offset) * factor;
      thresholds[r] = r % 3 == 0 ? value : value + static_cast<float>(static_cast<int>(random.next64() % 3) - 1) * 4096;
      if (r == 7) thresholds[r] = std::numeric_limits<float>::infinity();
      if (r == 8) thresholds[r] = -std::numeric_limits<float>::infinity();
      expected |= static_cast<uint32_t>(value >= thresholds[r]) << r;
    }
    on_every_level([&](CpuLevel level) {
      EXPECT_EQ(dot_kernels().at_least(dots.data(), offset, factor, thresholds.data()), expected) << to_string(level);
    });
  }
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
