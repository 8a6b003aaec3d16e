#include "selection/class_summary.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "kernels/row_math.h"
#include "selection/constants.h"

namespace dppl {
namespace {

constexpr auto kOne = static_cast<double>(kCosineOne);

// At least the largest eigenvalue of the Gram matrix of the centred records begin … end − 1. `projections`: of every
// record on the mean; `square`: of the mean.
//
// λ⁴ <= tr H⁴ = ‖H²‖²_F for the symmetric H. H² is computed from a rounded H: an entry of H, below 4, is off by less
// than 2^-21, which moves λ by less than n·2^-21 (the Frobenius norm of the error); a product of n terms in float is
// off by less than (n + 2)·2^-23 times that of the absolute values, whose Frobenius norm is at most ‖H‖²_F.
//
// Records that count for less enter with the root of their share, at most 1, so that entries only get smaller.
double largest_eigenvalue(const WeightedRows& weighted, size_t begin, size_t end, std::span<const double> projections,
                          double square) {
  const size_t n = end - begin;
  const QuantisedRows& records = weighted.rows;
  const QuantisedRows chunk(nullptr, records.dim(), records.row(begin), records.factors().subspan(begin, n),
                            records.sums().subspan(begin, n));
  std::vector<int32_t> dots(n * n);
  dots_with(RecordPanels(chunk), chunk, 0, n, dots);
  std::vector<double> roots(n);
  for (size_t i = 0; i < n; ++i) roots[i] = std::sqrt(weighted.share(begin + i));
  std::vector<float> gram(n * n), squared(n * n);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      const double cosine = static_cast<double>(dots[i * n + j]) * chunk.factor(i) * chunk.factor(j) / kOne;
      const double centred = cosine - projections[begin + i] - projections[begin + j] + square;
      gram[i * n + j] = static_cast<float>(centred * (roots[i] * roots[j]));
    }
  }
  add_gram(gram.data(), n, n, 0, n, squared.data());
  double squares = 0;  // of the lower half, then twice
  for (size_t i = 0; i < n; ++i) {
    const double diagonal = static_cast<double>(squared[i * n + i]);
    squares += 2 * sum_of_squares(squared.data() + i * n, i) + diagonal * diagonal;
  }
  const auto size = static_cast<double>(n);
  const double slack = (size + 2) * 0x1p-23 * sum_of_squares(gram.data(), n * n);
  return std::sqrt(std::sqrt(squares) + slack) * (1 + 0x1p-30) + size * 0x1p-21;
}

double largest_variance(const WeightedRows& weighted, const ClassSummary& summary, unsigned threads) {
  const QuantisedRows& records = weighted.rows;
  const double count = summary.shares();
  std::vector<double> projections(records.rows());
  const std::vector<double> sums = summary.shared_sum();
  double square = 0;
  for (size_t i = 0; i < records.rows(); ++i) {
    projections[i] = byte_dot(records.row(i), sums.data(), records.dim()) * records.factor(i) / (count * kOne);
    square += projections[i] * weighted.share(i) / count;
  }
  // The class's covariance is a sum over chunks, and the largest eigenvalue of a sum is at most the sum of theirs.
  const size_t chunks = (records.rows() + kGramRecords - 1) / kGramRecords;
  std::vector<double> largest(chunks);
  parallel_blocks(chunks, 1, threads, [&](size_t chunk, size_t, unsigned) {
    largest[chunk] = largest_eigenvalue(weighted, chunk * kGramRecords,
                                        std::min((chunk + 1) * kGramRecords, records.rows()), projections, square);
  });
  double total = 0;
  for (const double value : largest) total += value;
  return total / count;
}

}  // namespace

std::vector<double> ClassSummary::shared_sum() const {
  std::vector<double> result;
  for (const int128 value : sum) result.push_back(static_cast<double>(value) / static_cast<double>(denominator));
  return result;
}

ClassSummary summarise(const WeightedRows& weighted, bool with_variance, unsigned threads) {
  const QuantisedRows& records = weighted.rows;
  ClassSummary summary{
      .records = records.rows(), .sum = std::vector<int128>(records.dim()), .denominator = weighted.denominator};
  // Records side by side that have one weight are added up first: 64 bits hold the sum of 2^42 of them.
  std::vector<int64_t> run(records.dim());
  for (size_t i = 0; i < records.rows(); ++i) {
    const int64_t weight = weighted.weight(i);
    summary.weight += weight;
    add_multiple(records.row(i), records.dim(), static_cast<int32_t>(records.factor(i)), run.data());
    if (i + 1 < records.rows() && weighted.weight(i + 1) == weight) continue;
    for (size_t k = 0; k < run.size(); ++k) summary.sum[k] += static_cast<int128>(weight) * run[k];
    std::ranges::fill(run, 0);
  }
  if (with_variance && summary.weight > 0) summary.variance = largest_variance(weighted, summary, threads);
  return summary;
}

ScoreBound::ScoreBound(const ClassSummary& summary, ScoreRange range, double error)
    : whole_(range.whole()),
      most_(static_cast<int64_t>((summary.weight + summary.denominator - 1) / summary.denominator) *
            range.per_record()),
      unit_(std::ldexp(1, range.shift())),
      records_(summary.shares()),
      error_(error),
      low_(static_cast<double>(range.low) / kOne),
      high_(static_cast<double>(range.high) / kOne),
      variance_(summary.variance) {}

}  // namespace dppl
