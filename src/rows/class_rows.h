#pragma once

#include <functional>
#include <span>
#include <vector>

#include "dppl/transform.h"
#include "rows/private_access.h"
#include "rows/quantised_rows.h"

namespace dppl {

// Copies rows of a matrix side by side and transforms them. One per thread.
class TransformedBlock {
 public:
  TransformedBlock(const PublicTransform& transform) : transform_(transform) {}

  // The transformed rows `row_of(0)` … `row_of(count − 1)`: count × output_dim values, valid until the next call.
  template <typename RowOf>
  std::span<const float> load(const Embeddings& embeddings, size_t count, RowOf row_of) {
    const size_t dim = embeddings.dim();
    raw_.resize(count * dim);
    for (size_t i = 0; i < count; ++i) embeddings.row(row_of(i), std::span(raw_).subspan(i * dim, dim));
    out_.resize(count * transform_.output_dim());
    transform_.apply(raw_, out_);
    return out_;
  }

 private:
  const PublicTransform& transform_;
  std::vector<float> raw_, out_;
};

// The transformed rows `row_of(0)` … `row_of(count − 1)`, quantised; their scales too if there is a span for them.
QuantisedRows quantise(const Embeddings& embeddings, size_t count, const PublicTransform& transform, unsigned threads,
                       const std::function<size_t(size_t)>& row_of, std::span<float> scales = {});

// Records of each class, in the order of the data.
std::vector<std::vector<size_t>> records_by_class(const PrivateAccess& access, size_t classes);

}  // namespace dppl
