#include "dppl/budget.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "dppl/error.h"
#include "privacy/validate.h"

namespace dppl {
namespace {

std::string_view symbol(Notion notion) { return notion == Notion::zcdp ? "ρ" : "ε"; }

void validate(const BudgetSpec& spec) {
  require_positive(spec.amount, symbol(spec.notion));
  if (spec.notion == Notion::approximate) {
    require_delta(spec.delta);
  } else if (spec.delta != 0) {
    throw InvalidInput(
        fmt::format("δ = {}: a budget of {} has no δ; state it as (ε, δ)", to_string(spec.delta), spec.describe()));
  }
}

void validate(std::span<const Rational> shares) {
  for (const Rational& share : shares) require_positive(share, "share of a budget");
  const Rational sum = std::accumulate(shares.begin(), shares.end(), Rational(0));
  if (sum > 1) {
    throw InvalidInput(
        fmt::format("the shares of a budget sum to {}: give shares that sum to at most 1", to_string(sum)));
  }
}

BudgetSpec part(BudgetSpec whole, const Rational& share) {
  whole.amount *= share;
  whole.delta *= share;
  return whole;
}

}  // namespace

std::string_view to_string(Notion notion) {
  switch (notion) {
    case Notion::pure:
      return "pure";
    case Notion::zcdp:
      return "zcdp";
    case Notion::approximate:
      break;
  }
  return "approximate";
}

BudgetSpec BudgetSpec::pure(const Rational& epsilon, Relation relation) { return {Notion::pure, epsilon, 0, relation}; }

BudgetSpec BudgetSpec::zcdp(const Rational& rho, Relation relation) { return {Notion::zcdp, rho, 0, relation}; }

BudgetSpec BudgetSpec::approximate(const Rational& epsilon, const Rational& delta, Relation relation) {
  return {Notion::approximate, epsilon, delta, relation};
}

std::string BudgetSpec::describe() const {
  if (notion == Notion::approximate) return fmt::format("(ε, δ) = ({}, {})", to_string(amount), to_string(delta));
  return fmt::format("{} = {}", symbol(notion), to_string(amount));
}

Guarantee BudgetSpec::as_guarantee() const {
  switch (notion) {
    case Notion::zcdp:
      return Guarantee::zcdp(amount, relation);
    case Notion::approximate:
      return Guarantee::approximate_dp(amount, delta, relation);
    case Notion::pure:
      break;
  }
  return Guarantee::pure(amount, relation);
}

Budget Budget::unledgered(const BudgetSpec& spec) {
  validate(spec);
  return Budget(spec);
}

Budget::Budget(Budget&& other) noexcept : spec_(std::move(other.spec_)), spent_(std::exchange(other.spent_, true)) {}

Budget& Budget::operator=(Budget&& other) noexcept {
  if (this != &other) {
    spec_ = std::move(other.spec_);
    spent_ = std::exchange(other.spent_, true);
  }
  return *this;
}

const BudgetSpec& Budget::spec() const {
  if (spent_)
    throw BudgetExceeded("this budget is already spent: it pays for one release; take a new one for the next");
  return spec_;
}

std::vector<Budget> Budget::split(Budget whole, std::span<const Rational> shares) {
  const BudgetSpec& spec = whole.spec();
  validate(shares);
  std::vector<Budget> parts;
  for (const Rational& share : shares) parts.push_back(Budget(part(spec, share)));
  return parts;
}

Budget Budget::to_zcdp(Budget whole) { return Budget(BudgetSpec::zcdp(whole.rho(), whole.spec().relation)); }

std::vector<Budget> Budget::parallel(Budget whole, size_t parts) {
  const BudgetSpec& spec = whole.spec();
  std::vector<Budget> result;
  for (size_t i = 0; i < parts; ++i) result.push_back(Budget(spec));
  return result;
}

Rational Budget::bounded_range_epsilon() const {
  const BudgetSpec& all = spec();
  switch (all.notion) {
    case Notion::zcdp:
      return bounded_range_for_zcdp(all.amount);
    case Notion::approximate:
      return bounded_range_for_approximate(all.amount, all.delta);
    case Notion::pure:
      break;
  }
  return all.amount;
}

Rational Budget::pure_epsilon() const {
  const BudgetSpec& all = spec();
  switch (all.notion) {
    case Notion::zcdp:
      return pure_for_zcdp(all.amount);
    case Notion::approximate:
      return pure_for_approximate(all.amount, all.delta);
    case Notion::pure:
      break;
  }
  return all.amount;
}

Rational Budget::rho() const {
  const BudgetSpec& all = spec();
  switch (all.notion) {
    case Notion::zcdp:
      return all.amount;
    case Notion::approximate:
      return zcdp_for_approximate(all.amount, all.delta);
    case Notion::pure:
      break;
  }
  throw InvalidInput(all.describe() +
                     ": Gaussian noise has no pure-DP guarantee; state the budget in ρ, or in ε and δ");
}

BudgetUse use_budget(std::string_view mechanism, const BudgetSpec& spec) {
  const Budget budget = Budget::unledgered(spec);
  if (mechanism == "exponential") {
    const Rational epsilon = budget.bounded_range_epsilon();
    return {"ε", epsilon, Guarantee::of_bounded_range(epsilon, spec.relation)};
  }
  if (mechanism == "permute-and-flip" || mechanism == "laplace") {
    const Rational epsilon = budget.pure_epsilon();
    return {"ε", epsilon, Guarantee::pure(epsilon, spec.relation)};
  }
  if (mechanism != "gaussian") {
    throw InvalidInput(fmt::format("'{}' is not a mechanism; give exponential, permute-and-flip, laplace or gaussian",
                                   mechanism.substr(0, 40)));
  }
  const Rational rho = budget.rho();
  return {"ρ", rho, Guarantee::zcdp(rho, spec.relation)};
}

}  // namespace dppl
