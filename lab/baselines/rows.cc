#include "lab/baselines/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "dppl/error.h"
#include "kernels/gemm.h"
#include "kernels/row_math.h"
#include "lab/constants.h"

namespace dppl {

void check_rows(std::string_view what, std::span<const float> values, size_t dim) {
  if (values.size() % dim != 0) {
    throw InvalidInput(fmt::format("{}: {} values are no whole number of rows of {}", what, values.size(), dim));
  }
  for (size_t begin = 0; begin < values.size(); begin += dim) {
    const double squares = sum_of_squares(values.data() + begin, dim);
    if (!(squares <= kLongestRow * kLongestRow)) {
      throw InvalidInput(
          fmt::format("{}: row {} has length {:g}; scale rows to length 1", what, begin / dim, std::sqrt(squares)));
    }
  }
}

GroupedRows group_by_class(const LabelledRows& rows) {
  GroupedRows result{std::vector<float>(rows.values.size()), rows.dim, std::vector<size_t>(rows.classes + 1)};
  for (const uint32_t label : rows.labels) ++result.begins[label + 1];
  for (size_t c = 0; c < rows.classes; ++c) result.begins[c + 1] += result.begins[c];
  std::vector<size_t> next(result.begins.begin(), result.begins.end() - 1);
  for (size_t i = 0; i < rows.count(); ++i) {
    const auto row = rows.values.subspan(i * rows.dim, rows.dim);
    std::copy(row.begin(), row.end(), result.values.data() + next[rows.labels[i]]++ * rows.dim);
  }
  return result;
}

std::vector<double> sum_blocks(size_t count, size_t size, unsigned threads,
                               const std::function<void(size_t, size_t, std::span<float>)>& work) {
  std::vector<double> sum(size);
  std::vector<float> parts(std::min(kWaitingSums, (count + kSummedRows - 1) / kSummedRows) * size);
  for (size_t first = 0; first < count; first += kWaitingSums * kSummedRows) {
    const size_t here = std::min(kWaitingSums * kSummedRows, count - first);
    parallel_blocks(here, kSummedRows, threads, [&](size_t begin, size_t end, unsigned) {
      work(first + begin, first + end, std::span(parts).subspan(begin / kSummedRows * size, size));
    });
    for (size_t part = 0; part * kSummedRows < here; ++part) {
      for (size_t k = 0; k < size; ++k) sum[k] += static_cast<double>(parts[part * size + k]);
    }
  }
  return sum;
}

std::vector<double> class_sums(const LabelledRows& rows, unsigned threads) {
  return sum_blocks(rows.count(), rows.classes * rows.dim, threads,
                    [&](size_t begin, size_t end, std::span<float> out) {
                      std::fill(out.begin(), out.end(), 0.0f);
                      for (size_t i = begin; i < end; ++i) {
                        float* sum = out.data() + rows.labels[i] * rows.dim;
                        for (size_t k = 0; k < rows.dim; ++k) sum[k] += rows.values[i * rows.dim + k];
                      }
                    });
}

Eigen::MatrixXd second_moment(std::span<const float> values, size_t dim, std::span<const float> weights,
                              unsigned threads) {
  const std::vector<double> sum =
      sum_blocks(values.size() / dim, dim * dim, threads, [&](size_t begin, size_t end, std::span<float> out) {
        const float* rows = values.data() + begin * dim;
        if (weights.empty()) {
          multiply_columns(rows, end - begin, dim, rows, dim, out.data());
          return;
        }
        std::vector<float> weighted(rows, rows + (end - begin) * dim);
        for (size_t i = 0; i < weighted.size(); ++i) weighted[i] *= weights[begin + i / dim];
        multiply_columns(rows, end - begin, dim, weighted.data(), dim, out.data());
      });
  const auto size = static_cast<Eigen::Index>(dim);
  const Eigen::Map<const Eigen::MatrixXd> matrix(sum.data(), size, size);
  return (matrix + matrix.transpose()) / 2;  // the library may round mirrored entries differently
}

std::vector<float> to_float(std::span<const double> values) {
  std::vector<float> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(), [](double value) { return static_cast<float>(value); });
  return result;
}

void multiply_rows_by(const Eigen::MatrixXd& symmetric, std::span<double> rows) {
  const auto dim = symmetric.rows();
  Eigen::Map<Eigen::MatrixXd> columns(rows.data(), dim, static_cast<Eigen::Index>(rows.size()) / dim);
  columns = (symmetric * columns).eval();
}

void scale_to_unit(std::span<double> values, size_t dim) {
  for (size_t begin = 0; begin < values.size(); begin += dim) {
    double squares = 0;
    for (const double value : values.subspan(begin, dim)) squares += value * value;
    if (squares == 0) continue;
    for (double& value : values.subspan(begin, dim)) value /= std::sqrt(squares);
  }
}

std::vector<float> multiply(std::span<const float> rows, size_t dim, std::span<const float> columns, unsigned threads) {
  const size_t count = rows.size() / dim, outer = columns.size() / dim;
  std::vector<float> result(count * outer);
  parallel_blocks(count, kSummedRows, threads, [&](size_t begin, size_t end, unsigned) {
    multiply_rows(rows.data() + begin * dim, end - begin, dim, columns.data(), outer, result.data() + begin * outer);
  });
  return result;
}

std::vector<float> project(std::span<const float> rows, size_t dim, std::span<const float> matrix, unsigned threads) {
  std::vector<float> result = multiply(rows, dim, matrix, threads);
  const size_t inner = matrix.size() / dim;
  for (size_t i = 0; i < result.size(); i += inner) normalise_row(result.data() + i, inner, result.data() + i);
  return result;
}

}  // namespace dppl
