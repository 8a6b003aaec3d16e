#include "statistics/second_moment/second_moment.h"

#include <Eigen/Core>
#include <algorithm>

#include "base/parallel.h"

namespace dppl {
namespace {

constexpr size_t kBlock = 4096;

}  // namespace

BoundedSum second_moment(const SmallRows& rows, unsigned threads) {
  const size_t dim = rows.dim(), triangle = dim * (dim + 1) / 2;
  std::vector<std::vector<int64_t>> parts(std::max(threads, 1u));
  parallel_blocks(rows.rows(), kBlock, threads, [&](size_t begin, size_t end, unsigned thread) {
    std::vector<int64_t>& part = parts[thread];
    part.resize(triangle);
    // Whole numbers in double, exact (small_rows.h).
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> block(end - begin, dim);
    for (size_t i = begin; i < end; ++i) {
      const auto row = rows.row(i);
      std::copy(row.begin(), row.end(), block.row(static_cast<Eigen::Index>(i - begin)).data());
    }
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(block.cols(), block.cols());
    gram.selfadjointView<Eigen::Lower>().rankUpdate(block.transpose());
    size_t next = 0;
    for (Eigen::Index i = 0; i < gram.rows(); ++i) {
      for (Eigen::Index j = i; j < gram.cols(); ++j) part[next++] += static_cast<int64_t>(gram(j, i));
    }
  });
  BoundedSum total{std::vector<int64_t>(triangle), NormBound::added(kSecondMomentOne)};
  for (const auto& part : parts) {
    for (size_t i = 0; i < part.size(); ++i) total.values[i] += part[i];
  }
  return total;
}

}  // namespace dppl
