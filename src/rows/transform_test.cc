#include "dppl/transform.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dppl/error.h"
#include "support/expect_error.h"
#include "support/labelled_sample.h"

namespace dppl {
namespace {

using testing::kDim;
using testing::random_rows;

// Every result is reduced by the shift, and by nothing else.
TEST(PublicTransform, MovesItsCentre) {
  const PublicData pool = PublicData::from_memory(random_rows(60, 2), kDim);
  for (const char* spec : {"center", "pca:5", "whiten:5:0.2", "average:2+whiten:5"}) {
    const PublicTransform before = PublicTransform::compute(TransformSpec::parse(spec), kDim, pool);
    std::vector<double> shift(before.output_dim());
    for (size_t k = 0; k < shift.size(); ++k) shift[k] = 0.1 * static_cast<double>(k % 5) - 0.2;
    const PublicTransform after = before.moved_by(shift);
    const std::vector<float> row = random_rows(1, 3);
    std::vector<float> a(shift.size()), b(shift.size());
    before.apply(row, a);
    after.apply(row, b);
    for (size_t k = 0; k < shift.size(); ++k) EXPECT_NEAR(static_cast<double>(a[k] - b[k]), shift[k], 1e-4) << spec;
  }
  const PublicTransform none = PublicTransform::restore({}, kDim, {}, {});
  testing::expect_error<InvalidInput>([&] { none.moved_by(std::vector<double>(kDim)); }, {"no centre"});
}

// A column of zeros, or nearly, in somebody's pool file: nothing becomes infinite after a budget was spent.
TEST(PublicTransform, LeavesADirectionWithoutLengthAlone) {
  const TransformSpec spec = TransformSpec::parse("pca:3");
  const PublicTransform flat = PublicTransform::restore(spec, 3, {0, 0, 0}, {1, 0, 0, 0, 0, 1e-30f, 0, 0, 0});
  const PublicTransform moved = flat.moved_by(std::vector<double>{0.5, 0.5, 0.5});
  for (const float value : moved.mean()) {
    EXPECT_TRUE(std::isfinite(value));
    EXPECT_LE(std::abs(value), 1);
  }
}

}  // namespace
}  // namespace dppl
