#pragma once

#include <memory>
#include <vector>

#include "prototypes/method.h"
#include "prototypes/refinement.h"

namespace dppl {

// The records as integers, kept for several steps.
class GradientSums {
 public:
  explicit GradientSums(const FitInput& input);
  ~GradientSums();

  // Σ (p − y)·xᵀ over all records, each cut to length Refinement::kClip, with noise: classes × dim, for
  // Refinement::step().
  //
  // Privacy. x becomes the integer row q, ‖q‖ ≤ R (small_rows.h). Its scores are computed with the same bits wherever
  // the record stands and whoever stands beside it (similarity/row_math.h), and p − y from them alone, so p − y is a
  // function of this record and of released values. p − y becomes the integer row a, ‖a‖ ≤ R, by the same
  // truncation, and ‖a·qᵀ‖ = ‖a‖·‖q‖ ≤ R². The sum over the records is exact. So one record more or less moves the
  // released matrix by a 2-norm of at most R², which is what mechanisms/noisy_sum asks for. The weights of a step are
  // computed from what was released before: zCDP composes adaptively, by addition.
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
