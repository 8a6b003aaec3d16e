// A release of one's own: the mean age of people, as a noisy sum divided by a noisy number of people.
#include <dppl/mechanisms.h>

#include <algorithm>
#include <array>
#include <iostream>

namespace {

constexpr int64_t kOldest = 120;

dppl::Released<double> mean_age(dppl::Budget budget, dppl::Random& random, std::span<const int> ages) {
  // What the noise is made for must hold for any input: one person more moves this sum by at most kOldest.
  int64_t sum = 0;
  for (const int age : ages) sum += std::clamp<int64_t>(age, 0, kOldest);
  const auto people = static_cast<int64_t>(ages.size());

  const std::array<dppl::Rational, 2> shares{dppl::Rational(1, 2), dppl::Rational(1, 2)};
  std::vector<dppl::Budget> budgets = dppl::Budget::split(std::move(budget), shares);
  const auto noisy_sum = dppl::noisy_sum(std::move(budgets[0]), random,
                                         {.values = std::span(&sum, 1), .bound = dppl::NormBound::added(kOldest)});
  const auto noisy_people = dppl::noisy_count(std::move(budgets[1]), random, people);

  // From here on released values only: what is computed from them costs nothing more.
  const double mean =
      static_cast<double>(noisy_sum.value.values[0]) / static_cast<double>(std::max<int64_t>(noisy_people.value, 1));
  return {std::clamp(mean, 0.0, static_cast<double>(kOldest)),
          dppl::compose(noisy_sum.guarantee, noisy_people.guarantee)};
}

}  // namespace

int main() {
  std::vector<int> ages;
  for (int i = 0; i < 1000; ++i) ages.push_back(20 + i % 41);
  dppl::SecureRandom random;
  const auto half = dppl::BudgetSpec::zcdp(dppl::Rational(1, 2));
  const auto released = mean_age(dppl::Budget::unledgered(half), random, ages);
  std::cout << "mean age about " << released.value << ", at ρ = " << dppl::to_string(*released.guarantee.rho)
            << " of zero-concentrated differential privacy\n";
}
