#include "statistics/gradient_sum/gradient_sum.h"

#include <algorithm>

#include "base/parallel.h"
#include "dppl/mechanisms.h"
#include "kernels/dot_kernels.h"
#include "kernels/row_math.h"
#include "rows/integer_row.h"
#include "rows/small_rows.h"

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

const double GradientSums::kUnit = Refinement::kClip / static_cast<double>(kNorm);

// Blocks of kBlock records, the last one filled up with zeros: once row after row, once direction after direction.
struct GradientSums::Records {
  std::vector<float> rows;
  std::vector<int16_t> columns;
};

GradientSums::GradientSums(const FitInput& input) : input_(input) {
  const size_t dim = input.transform.output_dim(), size = rounded_up(input.access.size(), kBlock) * dim;
  auto records = std::make_unique<Records>(Records{std::vector<float>(size), std::vector<int16_t>(size)});
  parallel_blocks(input.access.size(), kBlock, input.threads, [&](size_t begin, size_t end, unsigned) {
    const RowMatrix rows = small_rows(input, begin, end);
    for (size_t i = 0; i < end - begin; ++i) {
      for (size_t k = 0; k < dim; ++k) {
        const double value = rows.data()[i * dim + k];
        records->rows[(begin + i) * dim + k] = static_cast<float>(value);
        records->columns[begin * dim + k * kBlock + i] = static_cast<int16_t>(value);
      }
    }
  });
  records_ = std::move(records);
}

GradientSums::~GradientSums() = default;

std::vector<int64_t> GradientSums::exact(const Refinement& at) const {
  const size_t classes = at.classes(), dim = at.weights().size() / classes;
  std::vector<float> weights(classes * dim);  // direction after direction, for rows of integers
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i % dim * classes + i / dim] = static_cast<float>(at.weights()[i] / static_cast<double>(kSmallRadius));
  }
  struct Worker {
    std::vector<int64_t> sums;
    std::vector<float> scores, residual;
    std::vector<int32_t> small;
    BlockProduct product;
  };
  std::vector<std::unique_ptr<Worker>> workers(std::max(input_.threads, 1u));
  parallel_blocks(input_.access.size(), kBlock, input_.threads, [&](size_t begin, size_t end, unsigned thread) {
    if (workers[thread] == nullptr) {
      workers[thread] = std::make_unique<Worker>(
          Worker{std::vector<int64_t>(classes * dim), std::vector<float>(kBlock * classes), std::vector<float>(classes),
                 std::vector<int32_t>(classes), BlockProduct(classes, dim)});
    }
    auto& [sums, scores, residual, small, product] = *workers[thread];
    project_rows(records_->rows.data() + begin * dim, end - begin, dim, weights.data(), classes, scores.data());
    if (end - begin < kBlock) product.clear();
    for (size_t i = 0; i < end - begin; ++i) {
      softmax_residual(std::span(scores).subspan(i * classes, classes), at.offsets(),
                       static_cast<size_t>(input_.access.labels()[begin + i]), residual);
      small_row(residual, Refinement::kClip, small);
      for (size_t c = 0; c < classes; ++c) product.left(i, c) = static_cast<int16_t>(small[c]);
    }
    product.add_to(sums, records_->columns.data() + begin * dim);
  });
  std::vector<int64_t> total(classes * dim);
  for (const auto& worker : workers) {
    for (size_t k = 0; worker && k < total.size(); ++k) total[k] += worker->sums[k];
  }
  return total;
}

Released<std::vector<double>> GradientSums::release(const Refinement& at, AddRemoveBudget budget,
                                                    Random& random) const {
  const std::vector<int64_t> sum = exact(at);
  const NormBound bound = NormBound::added(kNorm);
  const auto released = noisy_sum(std::move(budget).take(), random,
                                  {.values = sum, .norm_squared = bound.squared, .relation = bound.relation});
  if (input_.released) input_.released({"gradient", released.value.values, released.value.variance.get_d()});
  std::vector<double> values;
  for (const int64_t value : released.value.values) values.push_back(static_cast<double>(value) * kUnit);
  return {std::move(values), released.guarantee};
}

}  // namespace dppl
