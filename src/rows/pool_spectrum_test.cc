#include "rows/pool_spectrum.h"

#include <gtest/gtest.h>

#include "dppl/transform.h"
#include "support/random_rows.h"

namespace dppl {
namespace {

using testing::random_floats;

constexpr size_t kDim = 3, kMost = 16384;

std::vector<float> transform_numbers(const PublicData& pool, const char* spec) {
  const PublicTransform transform = PublicTransform::compute(TransformSpec::parse(spec), kDim, pool);
  std::vector<float> numbers(transform.mean().begin(), transform.mean().end());
  numbers.insert(numbers.end(), transform.basis().begin(), transform.basis().end());
  return numbers;
}

TEST(PoolSpectrum, IsOfAllRowsOrOfAFixedSampleOfThem) {
  EXPECT_EQ(transform_sample(3), (std::vector<uint64_t>{0, 1, 2}));
  EXPECT_EQ(transform_sample(kMost).back(), kMost - 1);
  const size_t rows = 2 * kMost + 12345;
  const std::vector<uint64_t> sample = transform_sample(rows);
  ASSERT_EQ(sample.size(), kMost);
  std::vector<float> values = random_floats(rows * kDim, 1), chosen;
  for (size_t j = 0; j < kMost; ++j) {
    EXPECT_EQ(sample[j], j * rows / kMost);
    const auto row = std::span(values).subspan(sample[j] * kDim, kDim);
    chosen.insert(chosen.end(), row.begin(), row.end());
  }
  // Rows that are not in the sample say nothing.
  ASSERT_EQ(sample[1], 2u);
  for (size_t k = 0; k < kDim; ++k) values[kDim + k] = 1000 * static_cast<float>(k + 1);
  const PublicData all = PublicData::from_memory(values, kDim), some = PublicData::from_memory(chosen, kDim);
  for (const char* spec : {"center", "whiten:2"})
    EXPECT_EQ(transform_numbers(all, spec), transform_numbers(some, spec));
}

}  // namespace
}  // namespace dppl
