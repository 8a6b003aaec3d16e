#include "rows/quantised_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "base/mapped_file.h"
#include "dppl/error.h"
#include "kernels/row_math.h"

namespace dppl {
namespace {

// The largest integer whose square is at most `square`.
uint64_t whole_root(uint64_t square) {
  auto root = static_cast<uint64_t>(std::sqrt(static_cast<double>(square)));
  while (root * root > square) --root;
  while ((root + 1) * (root + 1) <= square) ++root;
  return root;
}

}  // namespace

uint32_t cosine_factor(uint64_t squares) {
  return squares > 0 ? static_cast<uint32_t>(whole_root(static_cast<uint64_t>(kCosineOne) / squares)) : 0;
}

struct QuantisedRows::Memory {
  Memory(size_t rows, size_t dim) : values(rows * dim + kSlack), factors(rows), sums(rows) {}
  std::vector<int8_t> values;
  std::vector<uint32_t> factors;
  std::vector<int32_t> sums;
};

QuantisedRows::QuantisedRows(size_t rows, size_t dim) : dim_(dim) {
  if (dim > kLargestDim)
    throw InvalidInput(fmt::format("embeddings of dimension {}: at most {} are supported", dim, kLargestDim));
  auto memory = std::make_shared<Memory>(rows, dim);
  memory_ = memory.get();
  values_ = memory_->values.data();
  factors_ = memory_->factors;
  sums_ = memory_->sums;
  owner_ = std::move(memory);
}

QuantisedRows::QuantisedRows(std::shared_ptr<const void> owner, size_t dim, const int8_t* values,
                             std::span<const uint32_t> factors, std::span<const int32_t> sums, const MappedFile* file)
    : owner_(std::move(owner)), file_(file), dim_(dim), values_(values), factors_(factors), sums_(sums) {}

void QuantisedRows::expect(size_t begin, size_t end) const {
  if (file_ != nullptr) file_->expect(std::as_bytes(std::span(row(begin), (end - begin) * dim_)));
}

void QuantisedRows::give_back(size_t begin, size_t end) const {
  if (file_ == nullptr) return;
  file_->give_back(std::as_bytes(std::span(row(begin), (end - begin) * dim_)));
  file_->give_back(std::as_bytes(factors_.subspan(begin, end - begin)));
  file_->give_back(std::as_bytes(sums_.subspan(begin, end - begin)));
}

QuantisedRows QuantisedRows::of_values(std::span<const int8_t> values, size_t dim) {
  QuantisedRows result(values.size() / dim, dim);
  Memory& memory = *result.memory_;
  std::copy_n(values.begin(), result.rows() * dim, memory.values.begin());
  for (size_t i = 0; i < result.rows(); ++i) {
    const auto row = values.subspan(i * dim, dim);
    uint64_t squares = 0;
    for (size_t k = 0; k < dim; ++k) {
      squares += static_cast<uint64_t>(row[k] * row[k]);
      memory.sums[i] += row[k];
      if (k % 2 == 1 && std::abs(row[k - 1]) + std::abs(row[k]) > 128) {
        throw InvalidInput("quantised rows: a row is not one that dppl makes");
      }
    }
    memory.factors[i] = cosine_factor(squares);
  }
  return result;
}

QuantisedRows QuantisedRows::gather(std::span<const uint32_t> indices) const {
  QuantisedRows result(indices.size(), dim_);
  for (size_t j = 0; j < indices.size(); ++j) {
    std::copy_n(row(indices[j]), dim_, result.memory_->values.data() + j * dim_);
    result.memory_->factors[j] = factor(indices[j]);
    result.memory_->sums[j] = sum(indices[j]);
  }
  return result;
}

QuantisedRows QuantisedRows::followed_by(const QuantisedRows& others, size_t copies) const {
  QuantisedRows result(rows() + copies * others.rows(), dim_);
  Memory& memory = *result.memory_;
  auto append = [&, next = size_t{0}](const QuantisedRows& from) mutable {
    std::copy_n(from.values_, from.rows() * dim_, memory.values.data() + next * dim_);
    std::copy_n(from.factors_.data(), from.rows(), memory.factors.data() + next);
    std::copy_n(from.sums_.data(), from.rows(), memory.sums.data() + next);
    next += from.rows();
  };
  append(*this);
  for (size_t i = 0; i < copies; ++i) append(others);
  return result;
}

float QuantisedRows::set(size_t i, std::span<const float> row) {
  int8_t* out = memory_->values.data() + i * dim_;
  // A row that is not finite has no direction: it becomes zeros, whose cosines are 0.
  const bool finite = std::isfinite(sum_of_squares(row.data(), dim_));
  const double largest = finite ? largest_pair(row.data(), dim_) : 0;
  ByteTotals totals{0, 0};
  if (largest > 0) {
    totals = round_row(row.data(), dim_, 127 / largest, out);  // finite: the smallest float is 2^-149
  } else {
    std::fill_n(out, dim_, int8_t{0});
  }
  const auto squares = static_cast<uint64_t>(totals.squares);
  memory_->sums[i] = totals.sum;
  memory_->factors[i] = cosine_factor(squares);
  return static_cast<float>(largest / 127);
}

}  // namespace dppl
