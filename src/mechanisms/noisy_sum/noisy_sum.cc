#include <fmt/format.h>

#include "dppl/error.h"
#include "mechanisms/utilities.h"
#include "random/discrete_gaussian.h"

namespace dppl {

Released<NoisySum> noisy_sum(Budget budget, Random& random, const VectorSum& sum) {
  if (sum.relation != budget.spec().relation) {
    throw InvalidInput(fmt::format("noisy sum: the sum's norm bound is for neighbours {}, the budget says {}",
                                   to_string(sum.relation), to_string(budget.spec().relation)));
  }
  if (sum.norm_squared <= 0) {
    throw InvalidInput(fmt::format("noisy sum: norm_squared is {}; it must be above 0", sum.norm_squared));
  }
  const Rational rho = budget.rho();
  const Rational variance = gaussian_variance(sum.norm_squared, rho);
  const DiscreteGaussian noise(variance);

  NoisySum result{std::vector<int64_t>(sum.values.begin(), sum.values.end()), variance};
  for (int64_t& value : result.values) value = add_noise(value, noise(random));
  return {std::move(result), drawn_from(random, Guarantee::zcdp(rho, sum.relation))};
}

}  // namespace dppl
