#pragma once

#include <functional>
#include <span>
#include <vector>

#include "dppl/baselines.h"

// Softmax regression without a bias: class c has the score w_c·x. A constant coordinate would mostly learn how frequent
// the classes are, which balanced accuracy does not ask for.
namespace dppl {

// Called once for each block of records, with their residuals p − y (one row of `classes` values per record): sets the
// factor of each record's gradient (p − y)·xᵀ.
using SetFactors =
    std::function<void(size_t begin, size_t end, std::span<const float> residuals, std::span<float> factors)>;

// classes × dim: Σ factor·(p − y)·xᵀ over all records, by two matrix products a block.
std::vector<double> softmax_gradient(const LabelledRows& rows, std::span<const double> weights,
                                     const SetFactors& set_factors, unsigned threads);

struct ScaledGradient {
  std::vector<double> sum;
  // For each record, before scaling. None of these is released.
  std::vector<float> norms, losses, curvatures;  // |p − y|·|x|, −log p_y, 1 − Σp²
};

// The same where a record's factor is a function of its gradient's norm.
ScaledGradient scaled_gradient(const LabelledRows& rows, std::span<const double> weights,
                               const std::function<double(double norm)>& factor, unsigned threads);

// −log p_y of a record whose residual at its own class, p_y − 1, is this; finite also where p_y is not told from 0.
float loss_of(float residual);

// No gradient stays longer than `clip`.
inline auto clipping(double clip) {
  return [clip](double norm) { return norm > clip ? clip / norm : 1.0; };
}

}  // namespace dppl
