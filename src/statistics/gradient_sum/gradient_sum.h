#pragma once

#include <span>
#include <vector>

#include "rows/private_access.h"
#include "rows/small_rows.h"
#include "statistics/bounded_sum.h"
#include "statistics/constants.h"

namespace dppl {

// A record's gradient is (p − y)·xᵀ, p the probabilities of the classes, y its own class, x its row of length 1. It is
// clipped to kGradientClip. The unit of the integers below.
inline constexpr double kGradientUnit = kGradientClip / static_cast<double>(kSmallRadius * kSmallRadius);

// The standard deviation of the noise in each coordinate of one of so many steps that share a zCDP budget.
double gradient_sigma(double rho, unsigned steps);

// Softmax regression at which gradients are taken: class c has the score weights_c·x + offset_c. Public or released.
struct SoftmaxPoint {
  std::span<const double> weights;  // classes × dim
  std::span<const double> offsets;  // classes
};

// Sums of gradients over all records, at one point after the other. Refers to rows and records, which the caller keeps.
class GradientSums {
 public:
  // `rows`: of these records, in their order.
  GradientSums(const SmallRows& rows, const PrivateAccess& access, unsigned threads);

  // Σ (p − y)·xᵀ, each record's clipped, and with people the sum of each person's clipped too; classes × dim, in units
  // of kGradientUnit. Why one record or person moves it by no more than the bound: proof.md.
  BoundedSum at(const SoftmaxPoint& point) const;

 private:
  // Records whose products are added up at once.
  struct Block {
    size_t begin, end;
    size_t first_person = 0, people = 0;  // of which it holds all records; 0: every record is on its own
    bool part_of_person = false;          // who has more records than a block
  };
  struct Worker;
  void gradients_of(const Block& block, const SoftmaxPoint& point, std::span<const float> weights,
                    Worker& worker) const;
  void clip_people(const Block& block, Worker& worker) const;
  const int16_t* columns_of(size_t block) const;

  const SmallRows& rows_;
  PrivateAccess access_;
  unsigned threads_;
  std::vector<Block> blocks_;
  std::vector<size_t> jobs_;      // first block of each job and, behind the last one, their number
  std::vector<int16_t> columns_;  // of each block, direction after direction, filled up with zeros
};

// Scores of the classes to probabilities, minus 1 for the record's own. A function of this one record.
void softmax_residual(std::span<const float> scores, std::span<const double> offsets, size_t label,
                      std::span<float> residual);

}  // namespace dppl
