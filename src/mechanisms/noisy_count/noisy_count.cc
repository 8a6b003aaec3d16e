#include "dppl/error.h"
#include "mechanisms/laplace_noise.h"
#include "mechanisms/utilities.h"

namespace dppl {

Released<int64_t> noisy_count(Budget budget, Random& random, int64_t count) {
  if (count < 0) throw InvalidInput("noisy count: the count must not be negative");
  const Relation relation = budget.spec().relation;
  if (relation == Relation::replace_in_class) {
    throw InvalidInput("noisy count: under replace-in-class the count is public; release it as it is");
  }
  if (budget.spec().notion == Notion::pure) {
    const Rational epsilon = budget.pure_epsilon();
    const int64_t noise = DiscreteLaplace(laplace_scale(1, epsilon))(random);
    return {add_noise(count, noise), drawn_from(random, Guarantee::pure(epsilon, relation))};
  }
  const std::vector<int64_t> values{count};
  Released<NoisySum> sum =
      noisy_sum(std::move(budget), random, VectorSum{.values = values, .bound = NormBound::added(1, relation)});
  return {sum.value.values.front(), std::move(sum.guarantee)};
}

}  // namespace dppl
