#include "mechanisms/laplace_noise.h"
#include "mechanisms/utilities.h"

namespace dppl {

Released<size_t> laplace_max(Budget budget, Random& random, const Utilities& utilities) {
  check_utilities(utilities, budget);
  const Rational epsilon = budget.pure_epsilon();
  const DiscreteLaplace noise(laplace_scale(utilities.per_record, epsilon));

  size_t best = 0;
  int64_t best_score = std::numeric_limits<int64_t>::min();
  for (size_t i = 0; i < utilities.values.size(); ++i) {
    const int64_t score = add_noise(utilities.values[i], noise(random));
    if (score > best_score) {
      best = i;
      best_score = score;
    }
  }
  return {best, drawn_from(random, Guarantee::pure(epsilon, budget.spec().relation))};
}

}  // namespace dppl
