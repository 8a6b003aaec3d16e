#include "statistics/second_moment/second_moment.h"

#include <cmath>

#include "base/parallel.h"
#include "dppl/mechanisms.h"
#include "kernels/spectrum.h"
#include "rows/integer_row.h"
#include "rows/small_rows.h"

namespace dppl {
namespace {

constexpr size_t kBlock = 4096;

// Upper triangle, row after row.
size_t triangle(size_t dim) { return dim * (dim + 1) / 2; }

}  // namespace

std::vector<int64_t> exact_second_moment(const FitInput& input) {
  const size_t dim = input.transform.output_dim();
  std::vector<std::vector<int64_t>> parts(std::max(input.threads, 1u));
  parallel_blocks(input.access.size(), kBlock, input.threads, [&](size_t begin, size_t end, unsigned thread) {
    std::vector<int64_t>& part = parts[thread];
    part.resize(triangle(dim));
    const RowMatrix rows = small_rows(input, begin, end);
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

Released<SecondMoment> release_second_moment(const FitInput& input, AddRemoveBudget budget, Random& random) {
  constexpr int64_t kNorm = kSmallRadius * kSmallRadius;
  const std::vector<int64_t> exact = exact_second_moment(input);
  const NormBound bound = NormBound::added(kNorm);
  const auto released = noisy_sum(std::move(budget).take(), random,
                                  {.values = exact, .norm_squared = bound.squared, .relation = bound.relation});
  if (input.released) input.released({"second moment", released.value.values, released.value.variance.get_d()});
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
  const double floor =
      2 * std::sqrt(2.0 * static_cast<double>(dim)) * moment.sigma / scale + 0.02 / static_cast<double>(dim);
  return floored_inverse(moment.values / scale, floor);
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
