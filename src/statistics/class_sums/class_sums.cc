#include "statistics/class_sums/class_sums.h"

#include "base/parallel.h"
#include "rows/class_rows.h"
#include "rows/integer_row.h"

namespace dppl {
namespace {

constexpr size_t kBlock = 256;

// Where the transform only scales, the row itself has the same direction: no copy.
bool only_scales(const PublicTransform& transform) {
  return transform.basis().empty() && transform.mean().empty() && transform.spec().window == 1;
}

// add(row number, row, sum of its class), for every record.
template <typename Add>
BoundedSum sum_by_class(const Records& records, Add add) {
  const size_t dim = records.dim(), size = records.classes * dim;
  const bool in_place = only_scales(records.transform);
  std::vector<std::vector<int64_t>> parts(std::max(records.threads, 1u));
  parallel_blocks(records.size(), kBlock, records.threads, [&](size_t begin, size_t end, unsigned thread) {
    std::vector<int64_t>& part = parts[thread];
    part.resize(size);
    thread_local std::vector<float> scratch;
    scratch.resize(records.access.embeddings().dim());
    TransformedBlock block(records.transform);
    std::span<const float> rows;
    if (!in_place) {
      rows = block.load(records.access.embeddings(), end - begin,
                        [&](size_t i) { return records.access.row_of(begin + i); });
    }
    for (size_t i = begin; i < end; ++i) {
      const auto label = static_cast<size_t>(records.labels()[i]);
      add(i, in_place ? records.access.row_view(i, scratch) : rows.subspan((i - begin) * dim, dim),
          std::span(part).subspan(label * dim, dim));
    }
  });
  BoundedSum total{std::vector<int64_t>(size), NormBound::added(kRadius)};
  for (const std::vector<int64_t>& part : parts) {
    for (size_t i = 0; i < part.size(); ++i) total.values[i] += part[i];
  }
  return total;
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
