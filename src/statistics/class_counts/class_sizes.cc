#include "statistics/class_counts/class_sizes.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "dppl/mechanisms.h"

namespace dppl {
namespace {

// The mean square of sizes over the square of their mean, where they fall geometrically from the largest to the
// smallest.
double dispersion(double ratio) { return std::log(ratio) / 2 * (ratio + 1) / (ratio - 1); }

}  // namespace

Guarantee release_sizes(std::vector<int64_t>& sizes, Budget budget, Random& random, uint64_t first_stream) {
  std::vector<Budget> budgets = Budget::parallel(std::move(budget), sizes.size());
  std::optional<Guarantee> total;
  for (size_t c = 0; c < sizes.size(); ++c) {
    Random stream = random.stream(first_stream + c);
    auto released = noisy_count(std::move(budgets[c]), stream, sizes[c]);
    sizes[c] = released.value;
    total = total ? compose_disjoint(*total, released.guarantee) : released.guarantee;
  }
  return *total;
}

SizeGuess guess_sizes(std::span<const int64_t> noisy, double variance) {
  const auto classes = static_cast<double>(noisy.size());
  double sum = 0, squares = 0;
  for (const int64_t size : noisy) {
    sum += static_cast<double>(size) / classes;
    squares += static_cast<double>(size) * static_cast<double>(size) / classes;
  }
  const double mean = std::max(sum, 1.0);
  SizeGuess guess;
  // Noise of a tiny budget may tell any number; beyond this none changes a choice, and playing so many takes time.
  constexpr double kMostRecords = 1e7;
  guess.records = static_cast<uint64_t>(
      std::min(std::ceil(std::exp2(std::round(4 * std::log2(mean)) / 4) * classes), kMostRecords));
  // The noise of the mean square must leave the ratios apart.
  const bool told = noisy.size() > 1 && variance * std::sqrt(2 / classes) < mean * mean / 4;
  if (!told) return guess;
  const double measured = (squares - variance) / (mean * mean), root = std::sqrt(10.0);
  guess.ratio = measured < dispersion(root) ? 1 : measured < dispersion(10 * root) ? 10 : 100;
  return guess;
}

}  // namespace dppl
