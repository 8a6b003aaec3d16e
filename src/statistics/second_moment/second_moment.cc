#include "statistics/second_moment/second_moment.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/strict_math.h"
#include "statistics/constants.h"

namespace dppl {
namespace {

// For every record 1/√(number of records of its person), or a little less. Empty: every record is on its own.
std::vector<double> factors_of(const People* people) {
  std::vector<double> factors;
  for (size_t p = 0; people != nullptr && p < people->size(); ++p) {
    const auto records = static_cast<double>(people->records(p));
    factors.insert(factors.end(), people->records(p), records > 1 ? (1 - 0x1p-40) / std::sqrt(records) : 1);
  }
  return factors;
}

}  // namespace

BoundedSum second_moment(const SmallRows& rows, const PrivateAccess& access, unsigned threads) {
  const std::vector<double> factors = factors_of(access.people());
  const size_t dim = rows.dim(), triangle = dim * (dim + 1) / 2;
  std::vector<std::vector<int64_t>> parts(std::max(threads, 1u));
  parallel_blocks(rows.rows(), kMomentRows, threads, [&](size_t begin, size_t end, unsigned thread) {
    std::vector<int64_t>& part = parts[thread];
    part.resize(triangle);
    // Whole numbers in double, exact (small_rows.h).
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> block(end - begin, dim);
    for (size_t i = begin; i < end; ++i) {
      const auto row = rows.row(i);
      double* out = block.row(static_cast<Eigen::Index>(i - begin)).data();
      std::copy(row.begin(), row.end(), out);
      for (size_t k = 0; !factors.empty() && k < dim; ++k) out[k] = std::trunc(out[k] * factors[i]);
    }
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(block.cols(), block.cols());
    gram.selfadjointView<Eigen::Lower>().rankUpdate(block.transpose());
    size_t next = 0;
    for (Eigen::Index i = 0; i < gram.rows(); ++i) {
      for (Eigen::Index j = i; j < gram.cols(); ++j) part[next++] += static_cast<int64_t>(gram(j, i));
    }
  });
  BoundedSum total{std::vector<int64_t>(triangle), NormBound::added(kSecondMomentOne, relation_of(access))};
  for (const auto& part : parts) {
    for (size_t i = 0; i < part.size(); ++i) total.values[i] += part[i];
  }
  return total;
}

}  // namespace dppl
