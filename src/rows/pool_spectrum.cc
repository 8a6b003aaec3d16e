#include "rows/pool_spectrum.h"

#include <cmath>

#include "base/parallel.h"
#include "dppl/transform.h"
#include "kernels/row_math.h"
#include "kernels/spectrum.h"

namespace dppl {
namespace {

using Kind = TransformSpec::Kind;

// Sums over blocks of this many rows, added in the order of the blocks: the same bits with any number of threads.
constexpr size_t kBlockRows = 256;

}  // namespace

std::vector<float> pool_mean(const PublicData& pool, size_t average_pool, unsigned threads) {
  const PublicTransform uncentered =
      PublicTransform::restore({.kind = Kind::none, .window = average_pool}, pool.dim(), {}, {});
  const size_t dim = uncentered.pooled_dim(), blocks = (pool.size() + kBlockRows - 1) / kBlockRows;
  std::vector<double> sums(blocks * dim);
  parallel_blocks(pool.size(), kBlockRows, threads, [&](size_t begin, size_t end, unsigned) {
    std::vector<float> scratch(pool.dim()), row(dim);
    double* sum = sums.data() + begin / kBlockRows * dim;
    for (size_t i = begin; i < end; ++i) {
      uncentered.apply(pool.embeddings().row_view(i, scratch), row);
      for (size_t k = 0; k < dim; ++k) sum[k] += static_cast<double>(row[k]);
    }
  });
  std::vector<float> mean(dim);
  for (size_t k = 0; k < dim; ++k) {
    double sum = 0;
    for (size_t b = 0; b < blocks; ++b) sum += sums[b * dim + k];
    mean[k] = static_cast<float>(sum / static_cast<double>(pool.size()));
  }
  return mean;
}

namespace {

// The pool's covariance. Each thread owns a band of the matrix and walks all rows in order, so every entry has one
// order of additions.
Eigen::MatrixXd pool_covariance(const PublicTransform& centered, const PublicData& pool, unsigned threads) {
  const size_t dim = centered.pooled_dim();
  std::vector<double> total(dim * dim);
  // Bands of equal area of the lower triangle.
  const auto edge = [&](size_t band) {
    return band == threads
               ? dim
               : static_cast<size_t>(std::sqrt(static_cast<double>(band) / threads) * static_cast<double>(dim));
  };
  parallel_blocks(threads, 1, threads, [&](size_t band, size_t, unsigned) {
    const size_t first = edge(band), last = edge(band + 1);
    std::vector<float> scratch(pool.dim()), rows(kBlockRows * dim), gram((last - first) * dim);
    for (size_t begin = 0; begin < pool.size(); begin += kBlockRows) {
      const size_t count = std::min(kBlockRows, pool.size() - begin);
      for (size_t i = 0; i < count; ++i) {
        centered.apply(pool.embeddings().row_view(begin + i, scratch), std::span(rows).subspan(i * dim, dim));
      }
      std::fill(gram.begin(), gram.end(), 0.0f);
      add_gram(rows.data(), count, dim, first, last, gram.data());
      for (size_t i = first; i < last; ++i) {
        for (size_t j = 0; j <= i; ++j) total[i * dim + j] += static_cast<double>(gram[(i - first) * dim + j]);
      }
    }
  });
  const auto size = static_cast<Eigen::Index>(dim);
  Eigen::MatrixXd covariance(size, size);
  for (size_t i = 0; i < dim; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      const auto a = static_cast<Eigen::Index>(i), b = static_cast<Eigen::Index>(j);
      covariance(a, b) = covariance(b, a) = total[i * dim + j] / static_cast<double>(pool.size());
    }
  }
  return covariance;
}

}  // namespace

PoolSpectrum PoolSpectrum::of(const PublicData& pool, size_t average_pool, unsigned threads) {
  PoolSpectrum result;
  result.mean = pool_mean(pool, average_pool, threads);
  const PublicTransform centered =
      PublicTransform::restore({.kind = Kind::center, .window = average_pool}, pool.dim(), result.mean, {});
  Spectrum spectrum = spectrum_of(pool_covariance(centered, pool, std::max(threads, 1u)));
  result.variances = std::move(spectrum.values);
  result.directions = std::move(spectrum.directions);
  for (Eigen::Index c = 0; c < result.directions.cols(); ++c) {
    Eigen::Index largest;
    result.directions.col(c).cwiseAbs().maxCoeff(&largest);
    if (result.directions(largest, c) < 0) result.directions.col(c) *= -1;
  }
  return result;
}

size_t PoolSpectrum::usable_directions() const {
  // Below this part of the largest variance there is nothing but the rounding of float32.
  constexpr double kRounding = 1e-10;
  return static_cast<size_t>((variances.array() > variances(0) * kRounding).count());
}

}  // namespace dppl
