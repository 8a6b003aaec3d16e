#include "statistics/gradient_sum/gradient_sum.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/parallel.h"
#include "base/strict_math.h"
#include "kernels/dot_kernels.h"
#include "kernels/row_math.h"
#include "statistics/clip_person.h"

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

template <typename Value>
int64_t dot(std::span<const Value> a, std::span<const Value> b) {
  int32_t sum = 0;  // of two rows of 2-norm up to 2^12
  for (size_t k = 0; k < a.size(); ++k) sum += static_cast<int32_t>(a[k]) * b[k];
  return sum;
}

// Makes the gradients a_i of one person shorter by one factor until ‖Σ a_i·q_iᵀ‖ <= kNorm, where it is more. The
// squared norm is Σ_ij ⟨a_i, a_j⟩·⟨q_i, q_j⟩: exact, since at most (126·2^24)² < 2^62.
void clip_gradients(std::span<const std::span<const int16_t>> rows, std::span<const std::span<int32_t>> gradients) {
  const size_t n = rows.size();
  std::vector<int64_t> row_dots;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j <= i; ++j) row_dots.push_back((i == j ? 1 : 2) * dot(rows[i], rows[j]));
  }
  const auto squared_norm = [&] {
    int64_t sum = 0;
    size_t next = 0;
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j <= i; ++j) {
        sum += row_dots[next++] * dot(std::span<const int32_t>(gradients[i]), std::span<const int32_t>(gradients[j]));
      }
    }
    return sum;
  };
  // Truncation moves the norm a little, either way: what does not fit at the first try fits at the next, somewhat
  // shorter; and if ever none did, the person would count for nothing.
  constexpr int kTries = 8;
  for (int attempt = 0;; ++attempt) {
    const int64_t squares = squared_norm();
    if (squares <= kNorm * kNorm) return;
    const double factor = attempt == kTries ? 0
                                            : static_cast<double>(kNorm) / std::sqrt(static_cast<double>(squares)) *
                                                  (1 - 0x1p-12 * static_cast<double>(attempt));
    for (const std::span<int32_t> gradient : gradients) {
      for (int32_t& value : gradient) value = static_cast<int32_t>(static_cast<double>(value) * factor);
    }
  }
}

}  // namespace

double gradient_sigma(double rho, unsigned steps) { return kGradientClip / std::sqrt(2 * rho / steps); }

struct GradientSums::Worker {
  Worker(size_t classes, size_t dim)
      : sums(classes * dim),
        rows(kBlock * dim),
        scores(kBlock * classes),
        residual(classes),
        small(kBlock * classes),
        product(classes, dim) {}

  std::span<int32_t> gradient(size_t i) { return std::span(small).subspan(i * residual.size(), residual.size()); }

  std::vector<int64_t> sums, person_sums;
  std::vector<float> rows, scores, residual;
  std::vector<int32_t> small;  // p − y of the records of a block
  BlockProduct product;
};

GradientSums::GradientSums(const SmallRows& rows, const PrivateAccess& access, unsigned threads)
    : rows_(rows), access_(access), threads_(threads) {
  const auto add = [&](Block block) { blocks_.push_back(block); };
  if (const People* people = access.people()) {
    for (const auto& [first, last] : people->blocks(kBlock)) {
      jobs_.push_back(blocks_.size());
      const size_t begin = people->begin(first), end = people->end(last - 1);
      if (end - begin <= kBlock) {
        add({begin, end, first, last - first});
      } else {
        for (size_t i = begin; i < end; i += kBlock) add({i, std::min(i + kBlock, end), 0, 0, true});
      }
    }
  } else {
    for (size_t begin = 0; begin < rows.rows(); begin += kBlock) {
      jobs_.push_back(blocks_.size());
      add({begin, std::min(begin + kBlock, rows.rows())});
    }
  }
  jobs_.push_back(blocks_.size());
  columns_.resize(blocks_.size() * kBlock * rows.dim());
  parallel_blocks(blocks_.size(), 1, threads, [&](size_t b, size_t, unsigned) {
    int16_t* columns = columns_.data() + b * kBlock * rows.dim();
    for (size_t i = blocks_[b].begin; i < blocks_[b].end; ++i) {
      for (size_t k = 0; k < rows.dim(); ++k) columns[k * kBlock + i - blocks_[b].begin] = rows.row(i)[k];
    }
  });
}

const int16_t* GradientSums::columns_of(size_t block) const { return columns_.data() + block * kBlock * rows_.dim(); }

BoundedSum GradientSums::at(const SoftmaxPoint& point) const {
  const size_t classes = point.offsets.size(), dim = rows_.dim();
  std::vector<float> weights(classes * dim);  // direction after direction, for rows of integers
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i % dim * classes + i / dim] = static_cast<float>(point.weights[i] / static_cast<double>(kSmallRadius));
  }
  std::vector<std::unique_ptr<Worker>> workers(std::max(threads_, 1u));
  parallel_blocks(jobs_.size() - 1, 1, threads_, [&](size_t job, size_t, unsigned thread) {
    if (workers[thread] == nullptr) workers[thread] = std::make_unique<Worker>(classes, dim);
    Worker& worker = *workers[thread];
    const bool part_of_person = blocks_[jobs_[job]].part_of_person;
    if (part_of_person) worker.person_sums.assign(classes * dim, 0);
    for (size_t b = jobs_[job]; b < jobs_[job + 1]; ++b) {
      gradients_of(blocks_[b], point, weights, worker);
      worker.product.add_to(part_of_person ? worker.person_sums : worker.sums, columns_of(b));
    }
    if (!part_of_person) return;
    clip_person(worker.person_sums, kNorm);
    for (size_t k = 0; k < worker.sums.size(); ++k) worker.sums[k] += worker.person_sums[k];
  });
  BoundedSum total{std::vector<int64_t>(classes * dim), NormBound::added(kNorm, relation_of(access_))};
  for (const auto& worker : workers) {
    for (size_t k = 0; worker && k < total.values.size(); ++k) total.values[k] += worker->sums[k];
  }
  return total;
}

// p − y of every record of a block, as small integers, ready for the product.
void GradientSums::gradients_of(const Block& block, const SoftmaxPoint& point, std::span<const float> weights,
                                Worker& worker) const {
  const size_t classes = point.offsets.size(), dim = rows_.dim(), count = block.end - block.begin;
  for (size_t i = 0; i < count; ++i) {
    const auto row = rows_.row(block.begin + i);
    std::copy(row.begin(), row.end(), worker.rows.begin() + static_cast<std::ptrdiff_t>(i * dim));
  }
  project_rows(worker.rows.data(), count, dim, weights.data(), classes, worker.scores.data());
  for (size_t i = 0; i < count; ++i) {
    softmax_residual(std::span(worker.scores).subspan(i * classes, classes), point.offsets,
                     static_cast<size_t>(access_.labels()[block.begin + i]), worker.residual);
    small_row(worker.residual, kGradientClip, worker.gradient(i));
  }
  clip_people(block, worker);
  if (count < kBlock) worker.product.clear();
  for (size_t i = 0; i < count; ++i) {
    const std::span<const int32_t> small = worker.gradient(i);
    for (size_t c = 0; c < classes; ++c) worker.product.left(i, c) = static_cast<int16_t>(small[c]);
  }
}

void GradientSums::clip_people(const Block& block, Worker& worker) const {
  for (size_t p = block.first_person; p < block.first_person + block.people; ++p) {
    const size_t begin = access_.people()->begin(p), records = access_.people()->records(p);
    if (records == 1) continue;  // within the bound by itself
    std::vector<std::span<const int16_t>> rows;
    std::vector<std::span<int32_t>> gradients;
    for (size_t i = begin; i < begin + records; ++i) {
      rows.push_back(rows_.row(i));
      gradients.push_back(worker.gradient(i - block.begin));
    }
    clip_gradients(rows, gradients);
  }
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
