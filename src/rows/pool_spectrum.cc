#include "rows/pool_spectrum.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/parallel.h"
#include "dppl/transform.h"
#include "kernels/row_math.h"
#include "kernels/spectrum.h"
#include "rows/constants.h"

namespace dppl {
namespace {

using Kind = TransformSpec::Kind;

size_t sample_size(size_t rows) { return std::min(rows, kSampleRows); }
// Where the i-th row of the sample is.
size_t sampled_row(size_t i, size_t rows) { return i * rows / sample_size(rows); }

// The sample of a pool; that of a large pool is copied.
class Sample {
 public:
  explicit Sample(const PublicData& pool) : rows_(pool.embeddings()), total_(pool.size()), size_(sample_size(total_)) {
    const size_t row_size = rows_.row_bytes(0).size();
    if (size_ < total_ && size_ * row_size <= kMostCopied) copy(row_size);
  }
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  size_t size() const { return size_; }
  size_t dim() const { return rows_.dim(); }
  std::span<const float> row_view(size_t i, std::span<float> scratch) const {
    return copy_ ? copy_->row_view(i, scratch) : rows_.row_view(place(i), scratch);
  }

 private:
  size_t place(size_t i) const { return sampled_row(i, total_); }

  void copy(size_t row_size) {
    auto bytes = std::make_shared<std::vector<std::byte>>();
    bytes->reserve(size_ * row_size);
    for (size_t i = 0; i < size_; ++i) {
      if (i + kRowsAhead < size_) rows_.expect(place(i + kRowsAhead), place(i + kRowsAhead) + 1);
      const auto row = rows_.row_bytes(place(i));
      bytes->insert(bytes->end(), row.begin(), row.end());
      if (i % kSpectrumRows == kSpectrumRows - 1) rows_.give_back(place(i + 1 - kSpectrumRows), place(i) + 1);
    }
    const MatrixView matrix{.data = bytes->data(), .rows = size_, .dim = rows_.dim(), .dtype = rows_.dtype()};
    copy_.emplace(Embeddings::view(matrix, bytes));
  }

  const Embeddings& rows_;
  const size_t total_, size_;
  std::optional<Embeddings> copy_;
};

std::vector<float> mean_of(const Sample& pool, size_t average_pool, unsigned threads) {
  const PublicTransform uncentered =
      PublicTransform::restore({.kind = Kind::none, .window = average_pool}, pool.dim(), {}, {});
  const size_t dim = uncentered.pooled_dim(), blocks = (pool.size() + kSpectrumRows - 1) / kSpectrumRows;
  std::vector<double> sums(blocks * dim);
  parallel_blocks(pool.size(), kSpectrumRows, threads, [&](size_t begin, size_t end, unsigned) {
    std::vector<float> scratch(pool.dim()), row(dim);
    double* sum = sums.data() + begin / kSpectrumRows * dim;
    for (size_t i = begin; i < end; ++i) {
      uncentered.apply(pool.row_view(i, scratch), row);
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

// The pool's covariance. Each thread owns a band of the matrix and walks all rows in order, so every entry has one
// order of additions.
Eigen::MatrixXd pool_covariance(const PublicTransform& centered, const Sample& pool, unsigned threads) {
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
    std::vector<float> scratch(pool.dim()), rows(kSpectrumRows * dim), gram((last - first) * dim);
    for (size_t begin = 0; begin < pool.size(); begin += kSpectrumRows) {
      const size_t count = std::min(kSpectrumRows, pool.size() - begin);
      for (size_t i = 0; i < count; ++i) {
        centered.apply(pool.row_view(begin + i, scratch), std::span(rows).subspan(i * dim, dim));
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

std::vector<uint64_t> transform_sample(size_t size) {
  std::vector<uint64_t> rows(sample_size(size));
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = sampled_row(i, size);
  return rows;
}

std::vector<float> pool_mean(const PublicData& pool, size_t average_pool, unsigned threads) {
  return mean_of(Sample(pool), average_pool, threads);
}

PoolSpectrum PoolSpectrum::of(const PublicData& pool, size_t average_pool, unsigned threads) {
  const Sample sample(pool);
  PoolSpectrum result;
  result.mean = mean_of(sample, average_pool, threads);
  const PublicTransform centered =
      PublicTransform::restore({.kind = Kind::center, .window = average_pool}, pool.dim(), result.mean, {});
  Spectrum spectrum = spectrum_of(pool_covariance(centered, sample, std::max(threads, 1u)));
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
  return static_cast<size_t>((variances.array() > variances(0) * kLeastVariance).count());
}

}  // namespace dppl
