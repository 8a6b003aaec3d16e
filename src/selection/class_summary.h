#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "statistics/pair_scores/pair_scores.h"

namespace dppl {

// What bounds the scores of all candidates for a class, from one dot product each. Records are y = factor·row, of
// 2-norm at most 2^kFactorBits; cosines with a candidate are ⟨y, factor·candidate⟩/kCosineOne. Sums, means and
// variances are weighted (WeightedRows).
struct ClassSummary {
  size_t records = 0;
  int128 weight = 0;        // Σ weight
  std::vector<int128> sum;  // Σ weight·y
  int64_t denominator = 1;  // of weights
  // At least the variance of the class's cosines with any candidate: the largest eigenvalue of the covariance of
  // y/2^kFactorBits, or more. Only where it was asked for.
  double variance = 0;

  // Divided by the denominator: how many records of full weight it is, and their sum.
  double shares() const { return static_cast<double>(weight) / static_cast<double>(denominator); }
  std::vector<double> shared_sum() const;
};

ClassSummary summarise(const WeightedRows& records, bool with_variance, unsigned threads);

// An upper bound on the total over the class's records of the scores with a candidate (ScoreRange::total()), given the
// sum of the cosines on the integer grid as estimate ± error.
//
// With the cosines' mean m and variance at most s², and the range [a, b]:
//   mean score <= E(cos − a)⁺ − E(cos − b)⁺ <= (√(s² + (m − a)²) + (m − a))/2 − (m − b)⁺,
// the first by E x⁺ = (E|x| + E x)/2 and E|x| <= √E x², the second by Jensen; and it is at most b − a. The right side
// moves by at most the move of m, so an error in the mean adds to the bound. Roundings: a dozen operations on numbers
// below 8, and the division of weighted sums by their denominator, are off by less than 2^-46, and 2^-40 is added, for
// every record of full weight.
class ScoreBound {
 public:
  ScoreBound(const ClassSummary& summary, ScoreRange range, double error);
  int64_t operator()(double estimate) const;

  // How far a bound can lie above the score where nothing is clipped: the estimate and the bound may each be off by the
  // slack, and the score is rounded down.
  int64_t width() const { return static_cast<int64_t>(2 * slack() / unit_) + 4; }
  int64_t most() const { return most_; }  // the largest bound
  double unit() const { return unit_; }   // of estimates, in which bounds are told

 private:
  double slack() const { return error_ + records_ * (static_cast<double>(kCosineOne) * 0x1p-40); }
  int64_t in_units(double sum) const;

  bool whole_;
  int64_t most_;
  double unit_, records_, error_, low_, high_, variance_;
};

inline int64_t ScoreBound::operator()(double estimate) const {
  if (most_ == 0) return 0;
  if (whole_) {
    return in_units(estimate + slack() - records_ * (low_ * static_cast<double>(kCosineOne)));
  }
  const double mean = estimate / (records_ * static_cast<double>(kCosineOne)), above = mean - low_;
  const double bound = (std::sqrt(variance_ + above * above) + above) / 2 - std::max(mean - high_, 0.0);
  return in_units(bound * (records_ * static_cast<double>(kCosineOne)) + slack());
}

inline int64_t ScoreBound::in_units(double sum) const {
  const double upper = sum / unit_;
  return upper < static_cast<double>(most_) ? std::max<int64_t>(static_cast<int64_t>(upper) + 1, 0) : most_;
}

}  // namespace dppl
