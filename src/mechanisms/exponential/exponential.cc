#include "mechanisms/utilities.h"
#include "random/categorical.h"

namespace dppl {

Released<size_t> exponential(Budget budget, Random& random, const Utilities& utilities) {
  check_utilities(utilities, budget);
  const Rational epsilon = budget.bounded_range_epsilon();
  const size_t chosen = categorical_exp(random, utilities.values, epsilon / Rational(utilities.per_record));
  return {chosen, drawn_from(random, Guarantee::of_bounded_range(epsilon, budget.spec().relation))};
}

}  // namespace dppl
