#include "similarity/quantised_rows.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dppl/error.h"

namespace dppl {
namespace {

// The largest integer whose square is at most `square`.
uint64_t whole_root(uint64_t square) {
  auto root = static_cast<uint64_t>(std::sqrt(static_cast<double>(square)));
  while (root * root > square) --root;
  while ((root + 1) * (root + 1) <= square) ++root;
  return root;
}

double largest_pair(std::span<const float> row) {
  double largest = 0;
  for (size_t k = 0; k < row.size(); k += 2) {
    const float second = k + 1 < row.size() ? row[k + 1] : 0;
    largest = std::max(largest, static_cast<double>(std::abs(row[k])) + static_cast<double>(std::abs(second)));
  }
  return largest;
}

}  // namespace

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
                             std::span<const uint32_t> factors, std::span<const int32_t> sums)
    : owner_(std::move(owner)), dim_(dim), values_(values), factors_(factors), sums_(sums) {}

float QuantisedRows::set(size_t i, std::span<const float> row) {
  int8_t* out = memory_->values.data() + i * dim_;
  const double largest = largest_pair(row);
  int64_t squares = 0;
  int32_t sum = 0;
  if (largest > 0) {
    const double scale = 127 / largest;  // finite: the smallest float is 2^-149
    for (size_t k = 0; k < dim_; ++k) {
      const double scaled = static_cast<double>(row[k]) * scale;
      const auto value = static_cast<int32_t>(scaled + (scaled < 0 ? -0.5 : 0.5));
      out[k] = static_cast<int8_t>(value);
      sum += value;
      squares += value * value;
    }
  } else {
    std::fill_n(out, dim_, int8_t{0});
  }
  memory_->sums[i] = sum;
  memory_->factors[i] =
      squares > 0
          ? static_cast<uint32_t>(whole_root(static_cast<uint64_t>(kCosineOne) / static_cast<uint64_t>(squares)))
          : 0;
  return static_cast<float>(largest / 127);
}

}  // namespace dppl
