// The proofs are in conversions.md beside this file.
#include <algorithm>

#include "dppl/privacy.h"
#include "privacy/certified.h"
#include "privacy/gdp.h"
#include "privacy/validate.h"

namespace dppl {
namespace {

// The ε that ρ-zCDP gives at δ through the Rényi order 1 + beta.
Interval zcdp_epsilon(const Rational& rho, const Rational& delta, const Rational& beta, mpfr_prec_t bits) {
  const Interval order_above_one(beta, bits);
  return Interval(Rational((beta + 1) * rho), bits) - log1p(Interval(Rational(1 / beta), bits)) +
         (log_inverse(delta, bits) - log1p(order_above_one)) / order_above_one;
}

// ln of the δ that ρ-zCDP gives at ε through the Rényi order 1 + beta.
Interval zcdp_log_delta(const Rational& rho, const Rational& epsilon, const Rational& beta, mpfr_prec_t bits) {
  return Interval(Rational(beta * ((beta + 1) * rho - epsilon)), bits) -
         Interval(beta, bits) * log1p(Interval(Rational(1 / beta), bits)) - log1p(Interval(beta, bits));
}

// ρ + 2√(ρ ln 1/δ) (Bun & Steinke 2016): holds whatever the search for an order found.
Rational zcdp_epsilon_closed_form(const Rational& rho, const Rational& delta) {
  return upper_bound(refine([&](mpfr_prec_t bits) {
    return Interval(rho, bits) + scale2(sqrt(Interval(rho, bits) * log_inverse(delta, bits)), 1);
  }));
}

// An upper bound on δ, and its enclosure where e^ε is no problem. Beyond that the second term counts as 0.
Interval gdp_delta(const Rational& mu_squared, const Rational& epsilon, mpfr_prec_t bits) {
  const Rational largest_exponent = 1 << 24;
  const Interval mu = sqrt(Interval(mu_squared, bits));
  const Interval shift = scale2(mu, -1), centre = Interval(epsilon, bits) / mu;
  const Interval first = normal_cdf(shift - centre);
  if (epsilon > largest_exponent) return first;
  return first - exp(Interval(epsilon, bits)) * normal_cdf(-shift - centre);
}

Rational at_most_one(const Rational& delta) { return std::min(delta, Rational(1)); }

}  // namespace

Rational pure_to_zcdp(const Rational& epsilon) {
  require_cost(epsilon, "ε");
  return epsilon * epsilon / 2;
}

Rational bounded_range_to_zcdp(const Rational& epsilon) {
  require_cost(epsilon, "ε");
  return epsilon * epsilon / 8;
}

Rational zcdp_to_epsilon(const Rational& rho, const Rational& delta) {
  require_cost(rho, "ρ");
  require_delta(delta);
  if (rho == 0) return 0;
  const Interval log_target = log_inverse(delta, Interval::kDefaultBits);
  const Rational beta = turning_point([&](const Rational& b) {
    return mpfr_sgn((Interval(Rational(rho * b * b)) + log1p(Interval(b)) - log_target).lower()) > 0;
  });
  const Interval epsilon = refine([&](mpfr_prec_t bits) { return zcdp_epsilon(rho, delta, beta, bits); });
  return std::min(upper_bound(epsilon), zcdp_epsilon_closed_form(rho, delta));
}

Rational zcdp_to_delta(const Rational& rho, const Rational& epsilon) {
  require_cost(rho, "ρ");
  require_cost(epsilon, "ε");
  if (rho == 0) return 0;
  const Rational beta = turning_point([&](const Rational& b) {
    return mpfr_sgn((Interval(Rational((2 * b + 1) * rho - epsilon)) - log1p(Interval(Rational(1 / b)))).lower()) > 0;
  });
  if (mpfr_sgn(zcdp_log_delta(rho, epsilon, beta, Interval::kDefaultBits).upper()) >= 0) return 1;
  return at_most_one(
      upper_bound(refine([&](mpfr_prec_t bits) { return exp(zcdp_log_delta(rho, epsilon, beta, bits)); })));
}

Rational gdp_to_delta(const Rational& mu_squared, const Rational& epsilon) {
  require_cost(mu_squared, "μ²");
  require_cost(epsilon, "ε");
  if (mu_squared == 0) return 0;
  return at_most_one(upper_bound(refine([&](mpfr_prec_t bits) { return gdp_delta(mu_squared, epsilon, bits); })));
}

Rational gdp_to_epsilon(const Rational& mu_squared, const Rational& delta) {
  require_cost(mu_squared, "μ²");
  require_delta(delta);
  const Holds holds = [&](const Rational& epsilon) { return gdp_to_delta(mu_squared, epsilon) <= delta; };
  if (holds(0)) return 0;
  // μ-GDP is μ²/2-zCDP.
  return smallest_that_holds(0, zcdp_to_epsilon(mu_squared / 2, delta), holds);
}

Rational pure_within_gdp(const Rational& mu) {
  const Interval epsilon = refine([&](mpfr_prec_t bits) {
    const Interval half(Rational(mu / 2), bits);
    return log(normal_cdf(half)) - log(normal_cdf(-half));
  });
  // Where Φ(−μ/2) is too small for a floating-point exponent, μ²/8 is what remains.
  return std::max(lower_bound(epsilon), Rational(mu * mu / 8));
}

Rational pure_to_gdp(const Rational& epsilon) {
  require_cost(epsilon, "ε");
  if (epsilon == 0) return 0;
  const Holds holds = [&](const Rational& mu) { return pure_within_gdp(mu) >= epsilon; };
  // √(8ε) always works; 2ε is closer where ε is small.
  const Rational twice = 2 * epsilon;
  const Rational works = holds(twice) ? twice : square_root(8 * epsilon, Rounding::up);
  return smallest_that_holds(0, works, holds);
}

Rational pure_to_delta(const Rational& epsilon0, const Rational& epsilon) {
  require_cost(epsilon0, "ε₀");
  require_cost(epsilon, "ε");
  if (epsilon >= epsilon0) return 0;
  return at_most_one(upper_bound(refine([&](mpfr_prec_t bits) {
    return -expm1(Interval(Rational(epsilon - epsilon0), bits)) /
           (Interval(1, bits) + exp(Interval(Rational(-epsilon0), bits)));
  })));
}

Rational pure_to_epsilon(const Rational& epsilon0, const Rational& delta) {
  require_cost(epsilon0, "ε₀");
  require_delta(delta);
  if (pure_to_delta(epsilon0, 0) <= delta) return 0;
  return std::min(epsilon0, upper_bound(refine([&](mpfr_prec_t bits) {
                    const Interval lost =
                        Interval(delta, bits) * (Interval(1, bits) + exp(Interval(Rational(-epsilon0), bits)));
                    // Below 1 but for roundings: then ε₀ is the bound that is left.
                    if (mpfr_cmp_ui(lost.upper(), 1) >= 0) return Interval(epsilon0, bits);
                    return Interval(epsilon0, bits) + log1p(-lost);
                  })));
}

Rational bounded_range_to_delta(const Rational& epsilon0, const Rational& epsilon) {
  require_cost(epsilon0, "ε₀");
  require_cost(epsilon, "ε");
  if (epsilon >= epsilon0) return 0;
  return at_most_one(upper_bound(refine([&](mpfr_prec_t bits) {
    return square(expm1(Interval(Rational((epsilon - epsilon0) / 2), bits))) /
           -expm1(Interval(Rational(-epsilon0), bits));
  })));
}

Rational bounded_range_to_epsilon(const Rational& epsilon0, const Rational& delta) {
  require_cost(epsilon0, "ε₀");
  require_delta(delta);
  if (epsilon0 == 0) return 0;
  return std::min(epsilon0, upper_bound(refine([&](mpfr_prec_t bits) {
                    const Interval lost = sqrt(Interval(delta, bits) * -expm1(Interval(Rational(-epsilon0), bits)));
                    return Interval(epsilon0, bits) + scale2(log1p(-lost), 1);
                  })));
}

Rational pure_to_rdp(const Rational& epsilon, const Rational& alpha) {
  require_cost(epsilon, "ε");
  require_order(alpha);
  if (epsilon == 0) return 0;
  return std::min(epsilon, upper_bound(refine([&](mpfr_prec_t bits) {
                    const Interval rare = log1p(exp(Interval(Rational((1 - 2 * alpha) * epsilon), bits)));
                    const Interval common = log1p(exp(Interval(Rational(-epsilon), bits)));
                    return Interval(epsilon, bits) + (rare - common) / Interval(Rational(alpha - 1), bits);
                  })));
}

}  // namespace dppl
