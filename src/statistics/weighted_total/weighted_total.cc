#include "statistics/weighted_total/weighted_total.h"

#include <algorithm>

#include "dppl/error.h"
#include "rows/integer_row.h"
#include "statistics/sum_over_records.h"

namespace dppl {

BoundedSum weighted_total(const Records& records, std::span<const int64_t> weights, double clip) {
  const auto outside = [](int64_t weight) { return weight < 0 || weight > kFullWeight; };
  if (weights.size() != records.classes || std::ranges::any_of(weights, outside)) {
    throw Error("weighted total: needs one weight per class, each from 0 to the full weight");
  }
  return {sum_over_records(records, records.dim(),
                           [&](size_t i, std::span<const float> row, std::span<int64_t> sum) {
                             thread_local std::vector<int32_t> integers;
                             integers.resize(row.size());
                             integer_row(row, clip, integers);
                             const int64_t weight = weights[static_cast<size_t>(records.labels()[i])];
                             for (size_t k = 0; k < integers.size(); ++k) sum[k] += integers[k] * weight / kFullWeight;
                           }),
          NormBound::added(kRadius)};
}

}  // namespace dppl
