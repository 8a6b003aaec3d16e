#pragma once

#include "base/parallel.h"
#include "rows/class_rows.h"
#include "rows/records.h"
#include "statistics/bounded_sum.h"
#include "statistics/constants.h"

namespace dppl {

// Where the transform only scales, the row itself has the same direction: no copy.
inline bool only_scales(const PublicTransform& transform) {
  return transform.basis().empty() && transform.mean().empty() && transform.spec().window == 1;
}

// Calls see(record number, transformed row) for the records begin … end − 1, in order.
template <typename See>
void each_row(const Records& records, size_t begin, size_t end, const See& see) {
  const size_t dim = records.dim();
  thread_local std::vector<float> scratch;
  if (only_scales(records.transform)) {
    scratch.resize(records.access.embeddings().dim());
    for (size_t i = begin; i < end; ++i) see(i, records.access.row_view(i, scratch));
    return;
  }
  TransformedBlock block(records.transform);
  for (size_t first = begin; first < end; first += kRecordBlock) {
    const size_t count = std::min(kRecordBlock, end - first);
    const std::span<const float> rows =
        block.load(records.access.embeddings(), count, [&](size_t i) { return records.access.row_of(first + i); });
    for (size_t i = 0; i < count; ++i) see(first + i, rows.subspan(i * dim, dim));
  }
}

// Calls work(item, integers to add to) for 0 … items − 1. The integers are those of one of the threads; their sum over
// threads is returned, which does not depend on order or threads.
template <typename Work>
std::vector<int64_t> sum_over(size_t items, size_t size, unsigned threads, const Work& work) {
  std::vector<std::vector<int64_t>> parts(std::max(threads, 1u));
  parallel_blocks(items, 1, threads, [&](size_t item, size_t, unsigned thread) {
    parts[thread].resize(size);
    work(item, std::span(parts[thread]));
  });
  std::vector<int64_t> total(size);
  for (const std::vector<int64_t>& part : parts) {
    for (size_t i = 0; i < part.size(); ++i) total[i] += part[i];
  }
  return total;
}

// Calls add(record number, transformed row, integers to add to) for every record, each on its own.
template <typename Add>
std::vector<int64_t> sum_over_records(const Records& records, size_t size, const Add& add) {
  const size_t blocks = (records.size() + kRecordBlock - 1) / kRecordBlock;
  return sum_over(blocks, size, records.threads, [&](size_t block, std::span<int64_t> sum) {
    const size_t begin = block * kRecordBlock, end = std::min(begin + kRecordBlock, records.size());
    each_row(records, begin, end, [&](size_t i, std::span<const float> row) { add(i, row, sum); });
  });
}

// For every person: see(record number, transformed row) for each of their records, then leave(number of records,
// integers to add to), which forgets the person. What `make` makes is used for one person after the other.
template <typename Make>
std::vector<int64_t> sum_over_people(const Records& records, size_t size, const Make& make) {
  const People& people = *records.access.people();
  const auto blocks = people.blocks(kRecordBlock);
  return sum_over(blocks.size(), size, records.threads, [&](size_t block, std::span<int64_t> sum) {
    const auto [first, last] = blocks[block];
    auto person = make();
    size_t current = first;
    each_row(records, people.begin(first), people.end(last - 1), [&](size_t i, std::span<const float> row) {
      person.see(i, row);
      if (i + 1 < people.end(current)) return;
      person.leave(people.records(current), sum);
      ++current;
    });
  });
}

}  // namespace dppl
