#include "statistics/gradient_sum/gradient_sum.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/parallel.h"
#include "kernels/dot_kernels.h"
#include "kernels/row_math.h"

namespace dppl {
namespace {

constexpr int64_t kNorm = kSmallRadius * kSmallRadius;
// So many products of two small integers add up in 32 bits; even, because the kernel takes them in pairs.
constexpr size_t kBlock = 126;
static_assert(kBlock * kNorm < (int64_t{1} << 31) && kBlock % kWordStep == 0);

size_t rounded_up(size_t value, size_t step) { return (value + step - 1) / step * step; }

// Σ over the records of a block of left·right, for every class and direction, by the kernel of integer dot products.
class BlockProduct {
 public:
  BlockProduct(size_t classes, size_t dim)
      : dim_(dim),
        panel_(rounded_up(classes, kPanel) * kBlock),
        dots_(kLargestWidth * kPanel),
        kernels_(dot_kernels()) {}

  // The value of record i for class c.
  int16_t& left(size_t i, size_t c) {
    return panel_[c / kPanel * kPanel * kBlock + (i / kWordStep * kPanel + c % kPanel) * kWordStep + i % kWordStep];
  }
  void clear() { std::fill(panel_.begin(), panel_.end(), int16_t{0}); }

  // right: for every direction the values of kBlock records.
  void add_to(std::span<int64_t> sums, const int16_t* right) {
    const size_t classes = sums.size() / dim_;
    for (size_t first = 0; first < classes; first += kPanel) {
      for (size_t k = 0; k < dim_; k += kernels_.width) {
        const size_t count = std::min(kernels_.width, dim_ - k);
        const int16_t* rows[kLargestWidth];
        for (size_t j = 0; j < count; ++j) rows[j] = right + (k + j) * kBlock;
        kernels_.words(panel_.data() + first * kBlock, kBlock / kWordStep, rows, count, dots_.data());
        for (size_t c = first; c < std::min(first + kPanel, classes); ++c) {
          for (size_t j = 0; j < count; ++j) sums[c * dim_ + k + j] += dots_[j * kPanel + c - first];
        }
      }
    }
  }

 private:
  size_t dim_;
  std::vector<int16_t> panel_;
  std::vector<int32_t> dots_;
  const DotKernels& kernels_;
};

}  // namespace

double gradient_sigma(double rho, unsigned steps) { return kGradientClip / std::sqrt(2 * rho / steps); }

GradientSums::GradientSums(const SmallRows& rows, std::span<const int64_t> labels, unsigned threads)
    : rows_(rows), labels_(labels), threads_(threads), columns_(rounded_up(rows.rows(), kBlock) * rows.dim()) {
  const size_t dim = rows.dim();
  parallel_blocks(rows.rows(), kBlock, threads, [&](size_t begin, size_t end, unsigned) {
    for (size_t i = begin; i < end; ++i) {
      for (size_t k = 0; k < dim; ++k) columns_[begin * dim + k * kBlock + i - begin] = rows.row(i)[k];
    }
  });
}

BoundedSum GradientSums::at(const SoftmaxPoint& point) const {
  const size_t classes = point.offsets.size(), dim = rows_.dim();
  std::vector<float> weights(classes * dim);  // direction after direction, for rows of integers
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i % dim * classes + i / dim] = static_cast<float>(point.weights[i] / static_cast<double>(kSmallRadius));
  }
  struct Worker {
    std::vector<int64_t> sums;
    std::vector<float> rows, scores, residual;
    std::vector<int32_t> small;
    BlockProduct product;
  };
  std::vector<std::unique_ptr<Worker>> workers(std::max(threads_, 1u));
  parallel_blocks(rows_.rows(), kBlock, threads_, [&](size_t begin, size_t end, unsigned thread) {
    if (workers[thread] == nullptr) {
      workers[thread] = std::make_unique<Worker>(Worker{
          std::vector<int64_t>(classes * dim), std::vector<float>(kBlock * dim), std::vector<float>(kBlock * classes),
          std::vector<float>(classes), std::vector<int32_t>(classes), BlockProduct(classes, dim)});
    }
    auto& [sums, rows, scores, residual, small, product] = *workers[thread];
    for (size_t i = begin; i < end; ++i) {
      const auto row = rows_.row(i);
      std::copy(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>((i - begin) * dim));
    }
    project_rows(rows.data(), end - begin, dim, weights.data(), classes, scores.data());
    if (end - begin < kBlock) product.clear();
    for (size_t i = 0; i < end - begin; ++i) {
      softmax_residual(std::span(scores).subspan(i * classes, classes), point.offsets,
                       static_cast<size_t>(labels_[begin + i]), residual);
      small_row(residual, kGradientClip, small);
      for (size_t c = 0; c < classes; ++c) product.left(i, c) = static_cast<int16_t>(small[c]);
    }
    product.add_to(sums, columns_.data() + begin * dim);
  });
  BoundedSum total{std::vector<int64_t>(classes * dim), NormBound::added(kNorm)};
  for (const auto& worker : workers) {
    for (size_t k = 0; worker && k < total.values.size(); ++k) total.values[k] += worker->sums[k];
  }
  return total;
}

void softmax_residual(std::span<const float> scores, std::span<const double> offsets, size_t label,
                      std::span<float> residual) {
  double highest = -INFINITY, total = 0;
  for (size_t c = 0; c < scores.size(); ++c) highest = std::max(highest, static_cast<double>(scores[c]) + offsets[c]);
  for (size_t c = 0; c < scores.size(); ++c) {
    const double weight = std::exp(static_cast<double>(scores[c]) + offsets[c] - highest);
    residual[c] = static_cast<float>(weight);
    total += weight;
  }
  for (float& value : residual) value = static_cast<float>(static_cast<double>(value) / total);
  residual[label] -= 1;
}

}  // namespace dppl
