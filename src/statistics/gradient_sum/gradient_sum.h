#pragma once

#include <span>
#include <vector>

#include "rows/small_rows.h"
#include "statistics/bounded_sum.h"

namespace dppl {

// A record's gradient is (p − y)·xᵀ, p the probabilities of the classes, y its own class, x its row of length 1. It is
// clipped to this length: half of the longest, because the noise is in proportion to it.
inline constexpr double kGradientClip = 0.5;
// The unit of the integers below.
inline constexpr double kGradientUnit = kGradientClip / static_cast<double>(kSmallRadius * kSmallRadius);

// The standard deviation of the noise in each coordinate of one of so many steps that share a zCDP budget.
double gradient_sigma(double rho, unsigned steps);

// Softmax regression at which gradients are taken: class c has the score weights_c·x + offset_c. Public or released.
struct SoftmaxPoint {
  std::span<const double> weights;  // classes × dim
  std::span<const double> offsets;  // classes
};

// Sums of gradients over all records, at one point after the other. Refers to rows and labels, which the caller keeps.
class GradientSums {
 public:
  GradientSums(const SmallRows& rows, std::span<const int64_t> labels, unsigned threads);

  // Σ (p − y)·xᵀ, each record's clipped, classes × dim, in units of kGradientUnit. Why one record moves it by no more
  // than the bound: proof.md.
  BoundedSum at(const SoftmaxPoint& point) const;

 private:
  const SmallRows& rows_;
  std::span<const int64_t> labels_;
  unsigned threads_;
  std::vector<int16_t> columns_;  // blocks of records, direction after direction; the last one filled up with zeros
};

// Scores of the classes to probabilities, minus 1 for the record's own. A function of this one record.
void softmax_residual(std::span<const float> scores, std::span<const double> offsets, size_t label,
                      std::span<float> residual);

}  // namespace dppl
