#include "statistics/class_sums/class_sums.h"

#include "rows/integer_row.h"
#include "statistics/sum_over_records.h"

namespace dppl {
namespace {

// add(row number, row, sum of its class), for every record.
template <typename Add>
BoundedSum sum_by_class(const Records& records, const Add& add) {
  const size_t dim = records.dim();
  return {sum_over_records(records, records.classes * dim,
                           [&](size_t i, std::span<const float> row, std::span<int64_t> sums) {
                             add(i, row, sums.subspan(static_cast<size_t>(records.labels()[i]) * dim, dim));
                           }),
          NormBound::added(kRadius)};
}

}  // namespace

BoundedSum class_sums(const Records& records) {
  return sum_by_class(records,
                      [](size_t, std::span<const float> row, std::span<int64_t> sum) { add_integer_row(row, 0, sum); });
}

BoundedSum class_sums(const Records& records, SmallRows& kept) {
  return sum_by_class(records, [&](size_t i, std::span<const float> row, std::span<int64_t> sum) {
    thread_local std::vector<int32_t> integers;
    integers.resize(row.size());
    integer_row(row, 0, integers);
    for (size_t k = 0; k < integers.size(); ++k) sum[k] += integers[k];
    kept.set(i, integers);
  });
}

}  // namespace dppl
