#include <fmt/format.h>

#include "dppl/error.h"
#include "mechanisms/utilities.h"
#include "random/discrete_gaussian.h"

namespace dppl {

Released<NoisySum> noisy_sum(Budget budget, Random& random, const VectorSum& sum) {
  if (sum.bound.relation != budget.spec().relation) {
    throw InvalidInput(fmt::format("noisy sum: the sum's norm bound is for neighbours {}, the budget says {}",
                                   to_string(sum.bound.relation), to_string(budget.spec().relation)));
  }
  if (sum.bound.squared <= 0) {
    throw InvalidInput(fmt::format("noisy sum: the squared norm bound is {}; it must be above 0", sum.bound.squared));
  }
  const Rational rho = budget.rho();
  const Rational variance = gaussian_variance(sum.bound.squared, rho);
  const DiscreteGaussian noise(variance);

  NoisySum result{std::vector<int64_t>(sum.values.begin(), sum.values.end()), variance};
  for (int64_t& value : result.values) value = add_noise(value, noise(random));
  return {std::move(result), drawn_from(random, Guarantee::zcdp(rho, sum.bound.relation))};
}

}  // namespace dppl
