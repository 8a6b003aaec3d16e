#include "mechanisms/utilities.h"
#include "random/categorical.h"
#include "random/lazy_categorical.h"

namespace dppl {

Released<size_t> exponential(Budget budget, Random& random, const Utilities& utilities) {
  check_utilities(utilities, budget);
  const Rational epsilon = budget.bounded_range_epsilon();
  const size_t chosen = categorical_exp(random, utilities.values, epsilon / Rational(utilities.per_record));
  return {chosen, drawn_from(random, Guarantee::of_bounded_range(epsilon, budget.spec().relation))};
}

Released<size_t> lazy_exponential(Budget budget, Random& random, BoundedUtilities& utilities) {
  check_utilities({utilities.upper, utilities.per_record}, budget);
  const Rational epsilon = budget.bounded_range_epsilon();
  const LazyDraw draw = lazy_categorical_exp(random, {utilities.upper, utilities.evaluate, utilities.tighten},
                                             epsilon / Rational(utilities.per_record));
  utilities.evaluated = draw.evaluated;
  return {draw.index, drawn_from(random, Guarantee::of_bounded_range(epsilon, budget.spec().relation))};
}

}  // namespace dppl
