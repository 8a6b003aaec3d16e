#include "prototypes/second_moment.h"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "dppl/mechanisms.h"
#include "embeddings/class_rows.h"
#include "numbers/parallel.h"
#include "prototypes/integer_row.h"

namespace dppl {
namespace {

// Small enough that sums over blocks are exact in double, whatever the order: kBlock·kMomentRadius² < 2^53.
constexpr int64_t kMomentRadius = 1 << 12;
constexpr size_t kBlock = 4096;

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Upper triangle, row after row.
size_t triangle(size_t dim) { return dim * (dim + 1) / 2; }

// The integer rows of records begin … end.
RowMatrix integer_rows(const FitInput& input, size_t begin, size_t end) {
  const size_t dim = input.transform.output_dim();
  TransformedBlock block(input.transform);
  const auto rows =
      block.load(input.access.embeddings(), end - begin, [&](size_t i) { return input.access.row_of(begin + i); });
  RowMatrix result(static_cast<Eigen::Index>(end - begin), static_cast<Eigen::Index>(dim));
  std::vector<int32_t> row(dim);
  for (size_t i = 0; i < end - begin; ++i) {
    integer_row(rows.subspan(i * dim, dim), 0, row);
    // integer_row() gives norm kRadius; a division that truncates toward zero makes it at most kMomentRadius.
    for (size_t k = 0; k < dim; ++k) {
      result(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = row[k] / (kRadius / kMomentRadius);
    }
  }
  return result;
}

std::vector<int64_t> exact_moment(const FitInput& input) {
  const size_t dim = input.transform.output_dim();
  std::vector<std::vector<int64_t>> parts(std::max(input.threads, 1u));
  parallel_blocks(input.access.size(), kBlock, input.threads, [&](size_t begin, size_t end, unsigned thread) {
    std::vector<int64_t>& part = parts[thread];
    part.resize(triangle(dim));
    const RowMatrix rows = integer_rows(input, begin, end);
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(rows.cols(), rows.cols());
    gram.selfadjointView<Eigen::Lower>().rankUpdate(rows.transpose());
    size_t next = 0;
    for (Eigen::Index i = 0; i < gram.rows(); ++i) {
      for (Eigen::Index j = i; j < gram.cols(); ++j) part[next++] += static_cast<int64_t>(gram(j, i));
    }
  });
  std::vector<int64_t> total(triangle(dim));
  for (const auto& part : parts) {
    for (size_t i = 0; i < part.size(); ++i) total[i] += part[i];
  }
  return total;
}

}  // namespace

Released<SecondMoment> release_second_moment(const FitInput& input, Budget budget, Random& random) {
  constexpr int64_t kNorm = kMomentRadius * kMomentRadius;
  const std::vector<int64_t> exact = exact_moment(input);
  const Relation relation = budget.spec().relation;
  const auto released =
      noisy_sum(std::move(budget), random, {.values = exact, .norm_squared = kNorm * kNorm, .relation = relation});
  const auto dim = static_cast<Eigen::Index>(input.transform.output_dim());
  SecondMoment moment{Eigen::MatrixXd(dim, dim), std::sqrt(released.value.variance.get_d()) / kNorm};
  size_t next = 0;
  for (Eigen::Index i = 0; i < dim; ++i) {
    for (Eigen::Index j = i; j < dim; ++j) {
      moment.values(i, j) = moment.values(j, i) =
          static_cast<double>(released.value.values[next++]) / static_cast<double>(kNorm);
    }
  }
  return {std::move(moment), released.guarantee};
}

Eigen::MatrixXd metric_of(const SecondMoment& moment) {
  const Eigen::Index dim = moment.values.rows();
  const double records = moment.values.trace();  // rows have length 1
  // The noise's largest eigenvalue is about 2·σ·√dim; a little of the mean variance keeps the inverse tame. Where the
  // records cannot be told from noise, the noise decides and the metric is nearly round.
  const double scale = std::max(records, moment.sigma * std::sqrt(static_cast<double>(dim)));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(moment.values / scale);
  const double floor =
      2 * std::sqrt(2.0 * static_cast<double>(dim)) * moment.sigma / scale + 0.02 / static_cast<double>(dim);
  const Eigen::VectorXd inverse = (solver.eigenvalues().array().max(0.0) + floor).inverse();
  return solver.eigenvectors() * inverse.asDiagonal() * solver.eigenvectors().transpose();
}

void apply_metric(const Eigen::MatrixXd& metric, std::span<double> prototypes) {
  const Eigen::Index dim = metric.rows();
  for (size_t begin = 0; begin < prototypes.size(); begin += static_cast<size_t>(dim)) {
    Eigen::Map<Eigen::VectorXd> prototype(prototypes.data() + begin, dim);
    const Eigen::VectorXd image = metric * prototype;
    const double length = std::sqrt(prototype.dot(image));
    if (length > 0) prototype = image / length;
  }
}

}  // namespace dppl
