#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "dppl/error.h"
#include "dppl/privacy.h"
#include "privacy/certified.h"
#include "privacy/constants.h"
#include "privacy/validate.h"

namespace dppl {
namespace {

using Amount = std::optional<Rational>;

// The smaller of what is known; `candidate` is a bound that holds.
void improve(Amount& best, const Rational& candidate) {
  if (!best || candidate < *best) best = candidate;
}

template <typename Operation>
Amount combine(const Amount& a, const Amount& b, const Operation& operation) {
  if (!a || !b) return std::nullopt;
  return operation(*a, *b);
}

// Pure ε-DP is (ε, 0)-DP.
std::optional<Guarantee::Approximate> as_approximate(const Guarantee& guarantee) {
  if (guarantee.approximate) return guarantee.approximate;
  if (guarantee.epsilon) return Guarantee::Approximate{*guarantee.epsilon, 0};
  return std::nullopt;
}

Rational remembered_pure_to_gdp(const Rational& epsilon) {
  thread_local std::map<Rational, Rational> known;
  if (const auto found = known.find(epsilon); found != known.end()) return found->second;
  if (known.size() == kRemembered) known.clear();
  return known.emplace(epsilon, pure_to_gdp(epsilon)).first->second;
}

// Pure ε-DP is μ-GDP too, and over many releases μ² grows more slowly than ε.
Amount squared_mu(const Guarantee& guarantee) {
  if (guarantee.mu_squared) return guarantee.mu_squared;
  const Amount mu = guarantee.mu();
  return mu ? Amount(*mu * *mu) : std::nullopt;
}

template <typename Operation>
Guarantee combine(const Guarantee& a, const Guarantee& b, const Operation& operation) {
  if (a.relation != b.relation) {
    throw InvalidInput(fmt::format(
        "cannot compose a guarantee for neighbours '{}' with one for '{}': state both for the same relation",
        to_string(a.relation), to_string(b.relation)));
  }
  Guarantee result;
  result.relation = a.relation;
  result.is_private = a.is_private && b.is_private;
  result.epsilon = combine(a.epsilon, b.epsilon, operation);
  result.rho = combine(a.rho, b.rho, operation);
  const auto first = as_approximate(a), second = as_approximate(b);
  if ((a.approximate || b.approximate) && first && second) {
    result.approximate = {operation(first->epsilon, second->epsilon), operation(first->delta, second->delta)};
  }
  return result;
}

// The δ of so many (ε, δ)-DP steps: (1 + e^ε + … + e^((steps − 1)ε))·δ, no further than where it says nothing.
Rational delta_of_steps(const Guarantee::Approximate& one, unsigned steps) {
  const Rational vacuous_from = 1 << 24;
  if (one.epsilon >= vacuous_from) return 1;
  const Interval factor = exp(Interval(one.epsilon));
  Interval total(1);
  Rational delta = one.delta;
  for (unsigned i = 1; i < steps && delta < 1; ++i) {
    total = Interval(1) + factor * total;
    delta = upper_bound(Interval(one.delta) * total);
  }
  return std::min(delta, Rational(1));
}

Guarantee of(Relation relation) {
  Guarantee result;
  result.relation = relation;
  return result;
}

void scale(Amount& amount, const Rational& factor) {
  if (amount) *amount *= factor;
}

// The price of so many records more or less, for a relation of which every step is that (group privacy: Dwork & Roth
// 2014, Theorem 2.2; for zCDP Bun & Steinke 2016, Proposition 1.9; for GDP Dong, Roth & Su 2022, Theorem 2.14).
Guarantee steps(const Guarantee& one, unsigned count, Relation relation) {
  if (one.relation != Relation::add_remove) {
    throw InvalidInput("what several records cost follows from add-remove only; this guarantee is for '" +
                       std::string(to_string(one.relation)) + "'");
  }
  const Rational linear = count, squared = linear * linear;
  Guarantee result = one;
  result.relation = relation;
  scale(result.epsilon, linear);
  scale(result.bounded_range, linear);
  scale(result.rho, squared);
  scale(result.mu_squared, squared);
  if (one.approximate)
    result.approximate = {linear * one.approximate->epsilon, delta_of_steps(*one.approximate, count)};
  return result;
}

}  // namespace

std::string_view to_string(Relation relation) {
  switch (relation) {
    case Relation::replace_in_class:
      return "replace-in-class";
    case Relation::add_remove_person:
      return "add-remove-person";
    case Relation::add_remove:
      break;
  }
  return "add-remove";
}

Relation parse_relation(std::string_view text) {
  for (const Relation relation : {Relation::add_remove, Relation::replace_in_class, Relation::add_remove_person}) {
    if (text == to_string(relation)) return relation;
  }
  throw InvalidInput(
      fmt::format("neighbours '{}': unknown; give add-remove, add-remove-person or replace-in-class", text));
}

std::string_view unit_of(Relation relation) { return relation == Relation::add_remove_person ? "person" : "record"; }

Relation parse_unit(std::string_view text) {
  for (const Relation relation : {Relation::add_remove, Relation::add_remove_person}) {
    if (text == unit_of(relation)) return relation;
  }
  throw InvalidInput(fmt::format("unit '{}': unknown; give record or person", text.substr(0, 40)));
}

Guarantee Guarantee::pure(const Rational& epsilon, Relation relation) {
  Guarantee result = of(relation);
  result.rho = pure_to_zcdp(epsilon);
  result.epsilon = epsilon;
  return result;
}

Guarantee Guarantee::of_bounded_range(const Rational& epsilon, Relation relation) {
  Guarantee result = of(relation);
  result.rho = bounded_range_to_zcdp(epsilon);
  result.bounded_range = result.epsilon = epsilon;
  return result;
}

Guarantee Guarantee::zcdp(const Rational& rho, Relation relation) {
  require_cost(rho, "ρ");
  Guarantee result = of(relation);
  result.rho = rho;
  return result;
}

Guarantee Guarantee::gdp(const Rational& mu, Relation relation) {
  require_cost(mu, "μ");
  Guarantee result = of(relation);
  result.mu_squared = Rational(mu * mu);
  result.rho = Rational(mu * mu / 2);
  return result;
}

Guarantee Guarantee::approximate_dp(const Rational& epsilon, const Rational& delta, Relation relation) {
  require_cost(epsilon, "ε");
  require_delta(delta);
  Guarantee result = of(relation);
  result.approximate = {epsilon, delta};
  return result;
}

std::optional<Rational> Guarantee::epsilon_at(const Rational& delta) const {
  require_delta(delta);
  Amount best;
  if (epsilon) improve(best, pure_to_epsilon(*epsilon, delta));
  if (bounded_range) improve(best, bounded_range_to_epsilon(*bounded_range, delta));
  if (rho) improve(best, zcdp_to_epsilon(*rho, delta));
  if (mu_squared) improve(best, gdp_to_epsilon(*mu_squared, delta));
  if (approximate && approximate->delta <= delta) improve(best, approximate->epsilon);
  return best;
}

std::optional<Rational> Guarantee::delta_at(const Rational& at_epsilon) const {
  require_cost(at_epsilon, "ε");
  Amount best;
  if (epsilon) improve(best, pure_to_delta(*epsilon, at_epsilon));
  if (bounded_range) improve(best, bounded_range_to_delta(*bounded_range, at_epsilon));
  if (rho) improve(best, zcdp_to_delta(*rho, at_epsilon));
  if (mu_squared) improve(best, gdp_to_delta(*mu_squared, at_epsilon));
  if (approximate && approximate->epsilon <= at_epsilon) improve(best, approximate->delta);
  return best;
}

std::optional<Rational> Guarantee::mu() const {
  Amount best;
  if (mu_squared) improve(best, square_root(*mu_squared, Rounding::up));
  if (epsilon) improve(best, remembered_pure_to_gdp(*epsilon));
  return best;
}

std::optional<Rational> Guarantee::rdp_at(const Rational& alpha) const {
  require_order(alpha);
  Amount best;
  if (epsilon) improve(best, pure_to_rdp(*epsilon, alpha));
  if (rho) improve(best, alpha * *rho);
  return best;
}

Guarantee Guarantee::replace_one() const {
  // Of the relations there are, this is the one that every replacement inside a class is an instance of.
  return steps(*this, 2, Relation::replace_in_class);
}

Guarantee Guarantee::for_person_with(unsigned records) const {
  if (records == 0) throw InvalidInput("records per person: 0; give 1 or more");
  return steps(*this, records, Relation::add_remove_person);
}

Guarantee compose(const Guarantee& a, const Guarantee& b) {
  const auto sum = [](const Rational& x, const Rational& y) { return Rational(x + y); };
  Guarantee result = combine(a, b, sum);
  result.mu_squared = combine(squared_mu(a), squared_mu(b), sum);
  return result;
}

Guarantee compose(const Guarantee& a, unsigned times) {
  if (times == 0) throw InvalidInput("compose: 0 releases; give 1 or more");
  if (times == 1) return a;
  Guarantee result = a;
  result.bounded_range.reset();
  result.mu_squared = squared_mu(a);
  scale(result.epsilon, times);
  scale(result.rho, times);
  scale(result.mu_squared, times);
  if (result.approximate) {
    result.approximate->epsilon *= times;
    result.approximate->delta *= times;
  }
  return result;
}

Guarantee compose_disjoint(const Guarantee& a, const Guarantee& b) {
  const auto worse = [](const Rational& x, const Rational& y) { return std::max(x, y); };
  Guarantee result = combine(a, b, worse);
  // Between pure parts the larger ε says it all, and the conversion would cost time for each of many classes.
  if (a.mu_squared || b.mu_squared) result.mu_squared = combine(squared_mu(a), squared_mu(b), worse);
  // One record touches one part, so the log-ratios of the others are 0.
  result.bounded_range = combine(a.bounded_range, b.bounded_range, worse);
  return result;
}

}  // namespace dppl
