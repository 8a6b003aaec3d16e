#include "rows/class_rows.h"

#include "base/parallel.h"

namespace dppl {

QuantisedRows quantise(const Embeddings& embeddings, size_t count, const PublicTransform& transform, unsigned threads,
                       const std::function<size_t(size_t)>& row_of, std::span<float> scales) {
  const size_t dim = transform.output_dim();
  QuantisedRows rows(count, dim);
  parallel_blocks(count, 256, threads, [&](size_t begin, size_t end, unsigned) {
    TransformedBlock block(transform);
    const auto values = block.load(embeddings, end - begin, [&](size_t i) { return row_of(begin + i); });
    for (size_t i = begin; i < end; ++i) {
      const float scale = rows.set(i, values.subspan((i - begin) * dim, dim));
      if (!scales.empty()) scales[i] = scale;
    }
  });
  return rows;
}

std::vector<std::vector<size_t>> records_by_class(const PrivateAccess& access, size_t classes) {
  std::vector<std::vector<size_t>> records(classes);
  for (size_t i = 0; i < access.size(); ++i) records[static_cast<size_t>(access.labels()[i])].push_back(i);
  return records;
}

}  // namespace dppl
