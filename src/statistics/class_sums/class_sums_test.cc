#include "statistics/class_sums/class_sums.h"

#include <gtest/gtest.h>

#include "rows/integer_row.h"
#include "support/labelled_sample.h"

namespace dppl {
namespace {

using testing::data_of;
using testing::kDim;
using testing::random_rows;
using testing::Sample;
using testing::sample;

// One record more moves only its class's sum, by its own integer row: no other record's integers change.
TEST(ClassSums, OneRecordMovesTheSumByItsOwnRow) {
  const PublicData public_pool = PublicData::from_memory(random_rows(60, 2), kDim);
  for (const char* transform : {"none", "center", "whiten:5"}) {
    const PublicTransform rows = PublicTransform::compute(TransformSpec::parse(transform), kDim, public_pool);
    const auto sums_of = [&](const Sample& from) {
      const PrivateData data = data_of(from);
      const PrivateAccess access(data);
      const Records records{access, 3, rows, 2};
      SmallRows kept(records.size(), records.dim());
      EXPECT_EQ(class_sums(records, kept).values, class_sums(records).values);
      EXPECT_EQ(class_sums(records).bound.squared, kRadius * kRadius);
      return class_sums(records).values;
    };
    for (size_t records : {0u, 3u, 255u, 256u, 300u}) {
      Sample before = sample(records), after = before;
      const auto extra = random_rows(1, 999 + records);
      after.values.insert(after.values.begin(), extra.begin(),
                          extra.end());  // in front: every other row moves by one place
      after.labels.insert(after.labels.begin(), 2);
      const std::vector<int64_t> a = sums_of(before), b = sums_of(after);
      const size_t dim = rows.output_dim();
      std::vector<float> transformed(dim);
      std::vector<int32_t> integers(dim);
      rows.apply(extra, transformed);
      integer_row(transform == std::string("none") ? std::span<const float>(extra) : transformed, 0, integers);
      for (size_t i = 0; i < 3 * dim; ++i) {
        EXPECT_EQ(b[i] - a[i], i < 2 * dim ? 0 : integers[i - 2 * dim]) << transform << " " << records;
      }
    }
  }
}

// Small rows are the integer rows in a coarser unit, and no longer than their own radius.
TEST(ClassSums, KeepsTheRowsThatItAdds) {
  const Sample records = sample(300);
  const PrivateData data = data_of(records);
  const PrivateAccess access(data);
  const PublicTransform transform = PublicTransform::restore({}, kDim, {}, {});
  SmallRows kept(300, kDim);
  class_sums({access, 3, transform, 2}, kept);
  std::vector<int32_t> integers(kDim);
  for (size_t i = 0; i < 300; ++i) {
    integer_row(std::span(records.values).subspan(i * kDim, kDim), 0, integers);
    int64_t squares = 0;
    for (size_t k = 0; k < kDim; ++k) {
      EXPECT_EQ(kept.row(i)[k], integers[k] / (kRadius / kSmallRadius));
      squares += int64_t{kept.row(i)[k]} * kept.row(i)[k];
    }
    EXPECT_LE(squares, kSmallRadius * kSmallRadius);
  }
}

}  // namespace
}  // namespace dppl
