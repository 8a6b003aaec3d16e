#include "statistics/weighted_total/weighted_total.h"

#include <gtest/gtest.h>

#include "dppl/error.h"
#include "rows/integer_row.h"
#include "support/expect_error.h"
#include "support/labelled_sample.h"

namespace dppl {
namespace {

using testing::data_of;
using testing::kDim;
using testing::random_rows;
using testing::Sample;
using testing::sample;

std::vector<int64_t> total_of(const Sample& from, const PublicTransform& transform, const std::vector<int64_t>& weights,
                              double clip) {
  const PrivateData data = data_of(from);
  const PrivateAccess access(data);
  const BoundedSum total = weighted_total({access, 3, transform, 2}, weights, clip);
  EXPECT_EQ(total.bound.squared, kRadius * kRadius);
  return total.values;
}

TEST(WeightedTotal, OneRecordMovesItByItsOwnWeightedRow) {
  const PublicData public_pool = PublicData::from_memory(random_rows(60, 2), kDim);
  const std::vector<int64_t> weights{kFullWeight, 0, 1000};
  for (const char* transform : {"none", "center", "whiten:5"}) {
    const PublicTransform rows = PublicTransform::compute(TransformSpec::parse(transform), kDim, public_pool);
    for (const size_t records : {0u, 255u, 256u, 300u}) {
      for (const int64_t label : {0, 1, 2}) {
        Sample before = sample(records), after = before;
        const auto extra = random_rows(1, 999 + records);
        after.values.insert(after.values.begin(), extra.begin(), extra.end());
        after.labels.insert(after.labels.begin(), label);
        std::vector<float> transformed(rows.output_dim());
        std::vector<int32_t> integers(rows.output_dim());
        rows.apply(extra, transformed);
        integer_row(transform == std::string("none") ? std::span<const float>(extra) : transformed, 2.5, integers);
        const auto a = total_of(before, rows, weights, 2.5), b = total_of(after, rows, weights, 2.5);
        for (size_t k = 0; k < a.size(); ++k) {
          EXPECT_EQ(b[k] - a[k], integers[k] * weights[static_cast<size_t>(label)] / kFullWeight) << transform;
        }
      }
    }
  }
}

TEST(WeightedTotal, RefusesWeightsBeyondTheFullOne) {
  const PublicTransform none = PublicTransform::restore({}, kDim, {}, {});
  for (const std::vector<int64_t>& weights :
       {std::vector<int64_t>{0, 0}, {0, kFullWeight + 1, 0}, {0, 0, -1}, {0, 0, 0, 0}}) {
    testing::expect_error<Error>([&] { total_of(sample(), none, weights, 1); }, {"weight"});
  }
}

}  // namespace
}  // namespace dppl
