#pragma once

#include "dppl/error.h"
#include "dppl/fit.h"
#include "rows/private_access.h"

namespace dppl {

// A budget for one relation, known to the compiler: a method whose proof is for another relation does not take it.
template <Relation kRelation>
class BudgetUnder {
 public:
  // Throws InvalidInput when the budget is for another relation.
  explicit BudgetUnder(Budget budget) : budget_(std::move(budget)) {
    if (budget_.spec().relation != kRelation) {
      throw InvalidInput("fit: the method is private under " + std::string(to_string(kRelation)) +
                         " and the budget is for " + std::string(to_string(budget_.spec().relation)));
    }
  }
  Budget take() && { return std::move(budget_); }

 private:
  Budget budget_;
};
using AddRemoveBudget = BudgetUnder<Relation::add_remove>;
using ReplaceInClassBudget = BudgetUnder<Relation::replace_in_class>;

// What every method gets, and what it returns: its part of the model and what it spent. A new method is a function of
// this shape in a file of its own and a line in fit.cc.
struct FitInput {
  const PrivateAccess& access;
  size_t classes;
  const PublicData* pool;  // null where none was given
  const PublicTransform& transform;
  const Hyperparameters& hyperparameters;
  unsigned threads;
  const std::function<void(double)>& progress;
  // As in FitOptions; null: nothing is shared.
  PoolMemory* memory = nullptr;
  std::vector<std::vector<int64_t>>* scores = nullptr;
  std::function<void(const Release&)> released = {};
};

struct Prototypes {
  std::vector<float> values;  // classes × per_class × output_dim
  size_t per_class = 1;
  Guarantee guarantee;

  std::vector<int64_t> sums, counts;
  double unit = 0;
  Rational noise_variance = 0;
  std::vector<uint64_t> pool_indices;
};

Prototypes fit_noisy_sum(const FitInput& input, AddRemoveBudget budget, Random& random);
Prototypes fit_naive_mean(const FitInput& input, ReplaceInClassBudget budget, Random& random);
Prototypes fit_coinpress(const FitInput& input, ReplaceInClassBudget budget, Random& random);
Prototypes fit_public(const FitInput& input, AddRemoveBudget budget, Random& random);

}  // namespace dppl
