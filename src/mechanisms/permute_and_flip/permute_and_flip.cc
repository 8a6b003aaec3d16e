#include <algorithm>
#include <numeric>

#include "mechanisms/utilities.h"
#include "random/bernoulli.h"

namespace dppl {

Released<size_t> permute_and_flip(Budget budget, Random& random, const Utilities& utilities) {
  check_utilities(utilities, budget);
  const Rational epsilon = budget.pure_epsilon();
  const BernoulliExp flip(epsilon / Rational(utilities.per_record));
  const int64_t largest = *std::max_element(utilities.values.begin(), utilities.values.end());

  // A random order, shuffled only as far as it is used.
  std::vector<uint32_t> order(utilities.values.size());
  std::iota(order.begin(), order.end(), 0u);
  for (size_t i = 0;; ++i) {
    std::swap(order[i], order[i + uniform_below(random, uint64_t{order.size() - i})]);
    // A candidate with the largest score is always accepted, so the loop ends within the order.
    if (flip(random, static_cast<uint64_t>(largest - utilities.values[order[i]]))) {
      return {order[i], drawn_from(random, Guarantee::pure(epsilon, budget.spec().relation))};
    }
  }
}

}  // namespace dppl
