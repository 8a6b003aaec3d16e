#pragma once

#include "base/parallel.h"
#include "rows/class_rows.h"
#include "rows/records.h"
#include "statistics/bounded_sum.h"

namespace dppl {

// Where the transform only scales, the row itself has the same direction: no copy.
inline bool only_scales(const PublicTransform& transform) {
  return transform.basis().empty() && transform.mean().empty() && transform.spec().window == 1;
}

// Calls add(record number, transformed row, integers to add to) for every record. The integers are those of one of the
// threads; their sum over threads is returned, which does not depend on order, blocks or threads.
template <typename Add>
std::vector<int64_t> sum_over_records(const Records& records, size_t size, const Add& add) {
  constexpr size_t kBlock = 256;
  const size_t dim = records.dim();
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
      add(i, in_place ? records.access.row_view(i, scratch) : rows.subspan((i - begin) * dim, dim), std::span(part));
    }
  });
  std::vector<int64_t> total(size);
  for (const std::vector<int64_t>& part : parts) {
    for (size_t i = 0; i < part.size(); ++i) total[i] += part[i];
  }
  return total;
}

}  // namespace dppl
