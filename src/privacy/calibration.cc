// The proofs are in conversions.md beside this file.
#include <algorithm>

#include "dppl/privacy.h"
#include "privacy/certified.h"
#include "privacy/gdp.h"
#include "privacy/validate.h"

namespace dppl {
namespace {

// The ρ that is (ε, δ)-DP through the Rényi order 1 + beta.
Interval approximate_rho(const Rational& epsilon, const Rational& delta, const Rational& beta, mpfr_prec_t bits) {
  const Interval gained = Interval(epsilon, bits) + log1p(Interval(Rational(1 / beta), bits));
  const Interval lost = (log_inverse(delta, bits) - log1p(Interval(beta, bits))) / Interval(beta, bits);
  return (gained - lost) / Interval(Rational(beta + 1), bits);
}

// Past the order at which approximate_rho() is largest.
bool is_past_best_order(const Rational& epsilon, const Interval& log_target, const Rational& beta) {
  const Interval weight(Rational((2 * beta + 1) / (beta * beta)));
  const Interval slope =
      (log_target - log1p(Interval(beta))) * weight - Interval(epsilon) - log1p(Interval(Rational(1 / beta)));
  return mpfr_sgn(slope.upper()) < 0;
}

void require_approximate(const Rational& epsilon, const Rational& delta) {
  require_positive(epsilon, "ε");
  require_delta(delta);
}

// Whoever checks the parameter against the target may ask for δ at ε or for ε at δ: both must be met to the last digit.
template <typename ToEpsilon, typename ToDelta>
Holds within(const Rational& epsilon, const Rational& delta, const ToEpsilon& to_epsilon, const ToDelta& to_delta) {
  return
      [=](const Rational& value) { return to_delta(value, epsilon) <= delta && to_epsilon(value, delta) <= epsilon; };
}

}  // namespace

Rational bounded_range_for_zcdp(const Rational& rho) {
  require_positive(rho, "ρ");
  return step_down_until(square_root(8 * rho, Rounding::down),
                         [&](const Rational& epsilon) { return bounded_range_to_zcdp(epsilon) <= rho; });
}

Rational pure_for_zcdp(const Rational& rho) {
  require_positive(rho, "ρ");
  return step_down_until(square_root(2 * rho, Rounding::down),
                         [&](const Rational& epsilon) { return pure_to_zcdp(epsilon) <= rho; });
}

Rational zcdp_for_approximate(const Rational& epsilon, const Rational& delta) {
  require_approximate(epsilon, delta);
  const Interval log_target = log_inverse(delta, Interval::kDefaultBits);
  const Rational beta = turning_point([&](const Rational& b) { return is_past_best_order(epsilon, log_target, b); });
  const Interval rho = refine([&](mpfr_prec_t bits) { return approximate_rho(epsilon, delta, beta, bits); });
  return step_down_until(lower_bound(rho), within(epsilon, delta, zcdp_to_epsilon, zcdp_to_delta));
}

Rational gdp_for_approximate(const Rational& epsilon, const Rational& delta) {
  require_approximate(epsilon, delta);
  const Holds meets_delta = [&](const Rational& mu) { return gdp_to_delta(mu * mu, epsilon) <= delta; };
  const Holds meets_both = [&](const Rational& mu) {
    return meets_delta(mu) && gdp_to_epsilon(mu * mu, delta) <= epsilon;
  };
  const Rational works = square_root(2 * zcdp_for_approximate(epsilon, delta), Rounding::down);
  Rational fails = std::max(Rational(2 * works), Rational(1));
  while (meets_delta(fails)) fails *= 2;
  return step_down_until(largest_that_holds(works, fails, meets_delta), meets_both);
}

// In both of the next two, ε itself meets any δ, however little the δ adds in the last digit.
Rational pure_for_approximate(const Rational& epsilon, const Rational& delta) {
  require_approximate(epsilon, delta);
  const Interval largest = refine([&](mpfr_prec_t bits) {
    const Interval tail = Interval(delta, bits) * exp(Interval(Rational(-epsilon), bits));
    return Interval(epsilon, bits) + log1p(tail) + log_inverse(1 - delta, bits);
  });
  return std::max(epsilon,
                  step_down_until(lower_bound(largest), within(epsilon, delta, pure_to_epsilon, pure_to_delta)));
}

Rational bounded_range_for_approximate(const Rational& epsilon, const Rational& delta) {
  require_approximate(epsilon, delta);
  const Interval largest = refine([&](mpfr_prec_t bits) {
    const Interval d(delta, bits);
    const Interval rest = d * exp(Interval(Rational(-epsilon), bits)) - expm1(Interval(Rational(-epsilon), bits));
    return Interval(epsilon, bits) + scale2(log1p(sqrt(d * rest)) + log_inverse(1 - delta, bits), 1);
  });
  return std::max(epsilon, step_down_until(lower_bound(largest),
                                           within(epsilon, delta, bounded_range_to_epsilon, bounded_range_to_delta)));
}

Rational pure_for_gdp(const Rational& mu) {
  require_positive(mu, "μ");
  return step_down_until(pure_within_gdp(mu), [&](const Rational& epsilon) { return pure_to_gdp(epsilon) <= mu; });
}

Rational gaussian_variance(const Rational& norm_squared, const Rational& rho) {
  require_positive(norm_squared, "norm²");
  require_positive(rho, "ρ");
  const mpz_class integers_from = mpz_class(1) << 40, steps_per_unit = mpz_class(1) << 20;
  const Rational exact = norm_squared / (2 * rho);
  const Rational scale = exact >= integers_from ? mpz_class(1) : steps_per_unit;
  const Rational scaled = exact * scale;
  mpz_class steps;
  mpz_cdiv_q(steps.get_mpz_t(), scaled.get_num_mpz_t(), scaled.get_den_mpz_t());
  return Rational(steps) / scale;
}

}  // namespace dppl
