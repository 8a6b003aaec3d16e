#include "tuning/pseudo_classes.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "dppl/error.h"
#include "embeddings/class_rows.h"
#include "numbers/parallel.h"
#include "prototypes/pool_posterior.h"
#include "similarity/gemm.h"
#include "similarity/row_math.h"

namespace dppl {
namespace {

constexpr size_t kRows = 20480;    // of the pool, evenly spread
constexpr size_t kGroupRows = 24;  // on average, at least
constexpr size_t kTestRows = 20;   // of a class, at most
constexpr int kIterations = 6;

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void normalise_rows(std::vector<float>& rows, size_t dim) {
  for (size_t i = 0; i < rows.size(); i += dim) {
    const double squares = sum_of_squares(rows.data() + i, dim);
    if (squares > 0) scale_row(rows.data() + i, dim, 1 / std::sqrt(squares), rows.data() + i);
  }
}

std::vector<float> unit_rows(std::vector<float> rows, size_t dim) {
  normalise_rows(rows, dim);
  return rows;
}

// Spherical k-means from evenly spread rows: the group of every row.
std::vector<size_t> groups_of(const std::vector<float>& rows, size_t dim, size_t groups, unsigned threads) {
  const size_t count = rows.size() / dim;
  std::vector<float> centres(groups * dim);
  for (size_t g = 0; g < groups; ++g) {
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(g * count / groups * dim), dim,
                centres.begin() + static_cast<std::ptrdiff_t>(g * dim));
  }
  std::vector<size_t> group(count);
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    parallel_blocks(count, 512, threads, [&](size_t begin, size_t end, unsigned) {
      std::vector<float> dots((end - begin) * groups);
      multiply_rows(rows.data() + begin * dim, end - begin, dim, centres.data(), groups, dots.data());
      for (size_t i = begin; i < end; ++i) {
        const float* row = dots.data() + (i - begin) * groups;
        group[i] = static_cast<size_t>(std::max_element(row, row + groups) - row);
      }
    });
    std::vector<float> sums(centres.size());
    for (size_t i = 0; i < count; ++i) {
      for (size_t k = 0; k < dim; ++k) sums[group[i] * dim + k] += rows[i * dim + k];
    }
    normalise_rows(sums, dim);
    for (size_t g = 0; g < groups; ++g) {
      const auto first = static_cast<std::ptrdiff_t>(g * dim);
      if (sum_of_squares(sums.data() + first, dim) > 0) std::copy_n(sums.begin() + first, dim, centres.begin() + first);
    }
  }
  return group;
}

// All groups in an order of chance, the same on every run.
std::vector<size_t> shuffled(size_t groups) {
  std::vector<size_t> order(groups);
  std::iota(order.begin(), order.end(), size_t{0});
  SeededRandom random(1);
  for (size_t g = groups; g > 1; --g) std::swap(order[g - 1], order[random.next64() % g]);
  return order;
}

}  // namespace

double uniform(Random& random) { return (static_cast<double>(random.next64() >> 11) + 0.5) * 0x1p-53; }

double normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(uniform(random)));
  return radius * std::cos(2 * std::numbers::pi * uniform(random));
}

std::vector<uint64_t> expected_sizes(uint64_t records, size_t classes, double ratio) {
  std::vector<double> shape(classes, 1);
  for (size_t r = 0; r < classes && classes > 1; ++r) {
    shape[r] = std::pow(ratio, -static_cast<double>(r) / static_cast<double>(classes - 1));
  }
  const double factor = static_cast<double>(records) / std::accumulate(shape.begin(), shape.end(), 0.0);
  std::vector<uint64_t> sizes(classes);
  for (size_t r = 0; r < classes; ++r) sizes[r] = std::max<uint64_t>(1, std::llround(shape[r] * factor));
  return sizes;
}

PseudoClasses::PseudoClasses(const PublicData& pool, const PublicTransform& common, size_t classes, unsigned threads)
    : dim_(common.output_dim()), directions_(common.output_dim()) {
  const size_t count = std::min(pool.size(), kRows);
  // A third of the groups plays classes.
  const size_t wanted = std::clamp<size_t>(classes, 2, 100);
  const size_t groups = std::min(std::max<size_t>(3 * wanted, 30), count / kGroupRows);
  if (groups < 6) {
    throw InvalidInput(fmt::format("tuning: a pool of {} rows is too small for it; at least {} are needed", pool.size(),
                                   6 * kGroupRows));
  }
  values_ = spread_rows(pool, common, kRows, threads, /*unit=*/false);
  const std::vector<size_t> group = groups_of(unit_rows(values_, dim_), dim_, groups, threads);

  std::vector<std::vector<size_t>> members(groups);
  for (size_t i = 0; i < count; ++i) members[group[i]].push_back(i);
  for (const size_t g : shuffled(groups)) {
    const bool plays = train_.size() < std::min(wanted, groups / 3) && members[g].size() >= 8;
    if (!plays) {
      pool_rows_.insert(pool_rows_.end(), members[g].begin(), members[g].end());
      continue;
    }
    // Every other row is for tests.
    std::vector<size_t> train;
    size_t tests = 0;
    for (size_t i = 0; i < members[g].size(); ++i) {
      if (i % 2 == 0) {
        train.push_back(train_rows_.size());
        train_rows_.push_back(members[g][i]);
      } else if (tests++ < kTestRows) {
        test_rows_.push_back(members[g][i]);
        test_labels_.push_back(train_.size());
      }
    }
    train_.push_back(std::move(train));
  }
  std::sort(pool_rows_.begin(), pool_rows_.end());
  directions_ = std::min(dim_, pool_rows_.size() / 2);
}

std::vector<float> PseudoClasses::gather(std::span<const size_t> rows) const {
  std::vector<float> result(rows.size() * dim_);
  for (size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(rows[i] * dim_), dim_,
                result.begin() + static_cast<std::ptrdiff_t>(i * dim_));
  }
  return result;
}

PseudoClasses::Rows PseudoClasses::rows(size_t directions, unsigned percent, unsigned threads) {
  const std::vector<float> pool = gather(pool_rows_), train = gather(train_rows_), test = gather(test_rows_);
  if (directions == 0) return {dim_, unit_rows(pool, dim_), unit_rows(train, dim_), unit_rows(test, dim_)};

  using FloatRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto dim = static_cast<Eigen::Index>(dim_);
  const Eigen::Map<const FloatRows> all(pool.data(), static_cast<Eigen::Index>(pool_rows_.size()), dim);
  const Eigen::RowVectorXf mean = all.colwise().mean();
  if (eigenvectors_.size() == 0) {
    Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(dim, dim);
    const RowMatrix centred = (all.rowwise() - mean).cast<double>();
    covariance.selfadjointView<Eigen::Lower>().rankUpdate(centred.transpose(), 1.0 / static_cast<double>(all.rows()));
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);
    eigenvectors_ = solver.eigenvectors().rowwise().reverse();
    eigenvalues_ = solver.eigenvalues().reverse();
  }
  const auto size = static_cast<Eigen::Index>(directions);
  const Eigen::VectorXd scale =
      eigenvalues_.head(size).array().max(eigenvalues_(0) * 1e-10).pow(-static_cast<double>(percent) / 100.0);
  // outer × inner, as multiply_rows wants it
  const FloatRows basis = (eigenvectors_.leftCols(size) * scale.asDiagonal()).transpose().cast<float>();
  const auto project = [&](const std::vector<float>& rows) {
    const size_t count = rows.size() / dim_;
    std::vector<float> out(count * directions);
    parallel_blocks(count, 512, threads, [&](size_t begin, size_t end, unsigned) {
      const auto first = static_cast<std::ptrdiff_t>(begin * dim_);
      FloatRows centred = Eigen::Map<const FloatRows>(rows.data() + first, static_cast<Eigen::Index>(end - begin), dim);
      centred.rowwise() -= mean;
      multiply_rows(centred.data(), end - begin, dim_, basis.data(), directions, out.data() + begin * directions);
    });
    return unit_rows(std::move(out), directions);
  };
  return {directions, project(pool), project(train), project(test)};
}

}  // namespace dppl
