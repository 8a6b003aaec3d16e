#include "rows/small_rows.h"

#include "rows/class_rows.h"
#include "rows/integer_row.h"

namespace dppl {

void small_row(std::span<const float> row, double clip, std::span<int32_t> out) {
  integer_row(row, clip, out);
  // A division that truncates toward zero takes the norm from at most kRadius to at most kSmallRadius.
  for (int32_t& value : out) value /= static_cast<int32_t>(kRadius / kSmallRadius);
  bound_norm(out, kSmallRadius);
}

RowMatrix small_rows(const FitInput& input, size_t begin, size_t end) {
  const size_t dim = input.transform.output_dim();
  TransformedBlock block(input.transform);
  const auto rows =
      block.load(input.access.embeddings(), end - begin, [&](size_t i) { return input.access.row_of(begin + i); });
  RowMatrix result(static_cast<Eigen::Index>(end - begin), static_cast<Eigen::Index>(dim));
  std::vector<int32_t> small(dim);
  for (size_t i = 0; i < end - begin; ++i) {
    small_row(rows.subspan(i * dim, dim), 0, small);
    std::copy(small.begin(), small.end(), result.row(static_cast<Eigen::Index>(i)).data());
  }
  return result;
}

}  // namespace dppl
