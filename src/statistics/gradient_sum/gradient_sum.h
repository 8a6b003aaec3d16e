#pragma once

#include <memory>
#include <vector>

#include "estimation/refinement.h"
#include "methods/method.h"

namespace dppl {

// The records as integers, kept for several steps.
class GradientSums {
 public:
  explicit GradientSums(const FitInput& input);
  ~GradientSums();

  // Σ (p − y)·xᵀ over all records, each cut to length Refinement::kClip, with noise: classes × dim, for
  // Refinement::step().
  //
  // Why this is private: gradient_sum.proof.md.
  Released<std::vector<double>> release(const Refinement& at, AddRemoveBudget budget, Random& random) const;

  // What release() adds noise to, in units of kUnit; for tests.
  std::vector<int64_t> exact(const Refinement& at) const;
  static const double kUnit;

 private:
  struct Records;
  const FitInput& input_;
  std::unique_ptr<const Records> records_;
};

}  // namespace dppl
