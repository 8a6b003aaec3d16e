#include "ledger/privacy_filter.h"

#include <fmt/format.h>

#include "dppl/error.h"
#include "ledger/constants.h"

namespace dppl {
namespace {

const char* symbol(Notion notion) {
  switch (notion) {
    case Notion::pure:
      return "ε";
    case Notion::zcdp:
      return "ρ";
    case Notion::approximate:
      return "(ε, δ)";
  }
  return "";
}

std::string readable(const Rational& value, Rounding rounding) {
  const std::string exact = to_string(value);
  return exact.size() <= kReadable ? exact : to_decimal(value, 12, rounding);
}

std::string_view whom(Relation relation) { return relation == Relation::add_remove_person ? "people" : "records"; }

void check_relation(std::string_view dataset, Relation total, Relation release) {
  if (release == total) return;
  if (whom(release) != whom(total)) {
    throw InvalidInput(
        fmt::format("data set '{}' is for {}, and this release is for {}: their costs do not add up; make the release "
                    "for {}, too",
                    dataset, whom(total), whom(release), whom(total)));
  }
  throw InvalidInput(
      fmt::format("data set '{}': the total is for neighbours '{}', and this release is for '{}'; they do not add up",
                  dataset, to_string(total), to_string(release)));
}

}  // namespace

std::string describe(Notion notion, const Ledger::Amount& amount, Rounding rounding) {
  const std::string value = readable(amount.value, rounding);
  if (notion != Notion::approximate) return fmt::format("{} = {}", symbol(notion), value);
  return fmt::format("{} = ({}, {})", symbol(notion), value, readable(amount.delta, rounding));
}

bool stays_within(const Guarantee& price, const BudgetSpec& asked) {
  switch (asked.notion) {
    case Notion::pure:
      return price.epsilon && *price.epsilon <= asked.amount;
    case Notion::zcdp:
      return price.rho && *price.rho <= asked.amount;
    case Notion::approximate: {
      // Both directions are rounded to the safe side, so at the boundary only one of them may say yes.
      const std::optional<Rational> delta = price.delta_at(asked.amount);
      if (delta && *delta <= asked.delta) return true;
      const std::optional<Rational> epsilon = price.epsilon_at(asked.delta);
      return epsilon && *epsilon <= asked.amount;
    }
  }
  return false;
}

PrivacyFilter::Rule PrivacyFilter::total_rule(Notion notion) {
  switch (notion) {
    case Notion::pure:
      return Rule::epsilon;
    case Notion::zcdp:
      return Rule::rho;
    case Notion::approximate:
      return Rule::undecided;
  }
  return Rule::undecided;
}

PrivacyFilter::PrivacyFilter(std::string dataset, BudgetSpec total)
    : dataset_(std::move(dataset)), total_(std::move(total)) {
  decide(total_rule(total_.notion));
}

void PrivacyFilter::decide(Rule rule) {
  rule_ = rule;
  limit_ = {total_.amount, total_.delta};
  if (rule == Rule::rho_within_delta) limit_ = {zcdp_for_approximate(total_.amount, total_.delta), 0};
}

PrivacyFilter::Rule PrivacyFilter::first_rule(const BudgetSpec& asked) {
  // The first to ask has seen no release, so the choice cannot depend on private data.
  const bool in_epsilon = asked.notion == Notion::pure || asked.notion == Notion::approximate;
  return in_epsilon ? Rule::epsilon_delta : Rule::rho_within_delta;
}

// Under rho_within_delta both sums are kept; the one that leaves the larger share is the one worth knowing.
bool PrivacyFilter::pure_leaves_more() const {
  return rule_ == Rule::rho_within_delta && pure_sum_ && *pure_sum_ * limit_.value <= sum_.value * total_.amount;
}

Ledger::Balance PrivacyFilter::balance(bool as_pure) const {
  Ledger::Balance balance{total_.notion, limit_, sum_, {}};
  if (rule_ == Rule::rho_within_delta) balance.unit = Notion::zcdp;
  if (as_pure) balance = {Notion::pure, {total_.amount, 0}, {*pure_sum_, 0}, {}};
  balance.remaining = {balance.limit.value - balance.spent.value, balance.limit.delta - balance.spent.delta};
  return balance;
}

void PrivacyFilter::no_bound(std::string_view bound, std::string_view advice) const {
  throw InvalidInput(fmt::format("data set '{}': the total is {}, and this release has no {}; {}", dataset_,
                                 total_.describe(), bound, advice));
}

Rational PrivacyFilter::pure_cost(const Guarantee& price) const {
  if (!price.epsilon) {
    no_bound("pure ε bound (Gaussian noise never has one)",
             "use a mechanism that has one, or a data set with a ρ or (ε, δ) total");
  }
  return *price.epsilon;
}

Rational PrivacyFilter::zcdp_cost(const Guarantee& price) const {
  if (!price.rho) no_bound("zCDP bound", "ask for it in ε or ρ");
  return *price.rho;
}

PrivacyFilter::Cost PrivacyFilter::cost(const BudgetSpec& asked, const Guarantee& price) const {
  switch (rule_) {
    case Rule::epsilon:
      return {{asked.notion == Notion::pure ? asked.amount : pure_cost(price), 0}, {}};
    case Rule::rho:
      return {{asked.notion == Notion::zcdp ? asked.amount : zcdp_cost(price), 0}, {}};
    case Rule::rho_within_delta:
      return {{asked.notion == Notion::zcdp ? asked.amount : zcdp_cost(price), 0}, price.epsilon};
    case Rule::epsilon_delta:
      if (asked.notion == Notion::pure || asked.notion == Notion::approximate) return {{asked.amount, asked.delta}, {}};
      if (price.epsilon) return {{*price.epsilon, 0}, {}};
      no_bound("ε and δ of its own to add to those reserved before",
               "ask for it in ε and δ, which says how much of δ it may use");
    case Rule::undecided:
      break;
  }
  throw std::logic_error("a cost needs a rule");
}

bool PrivacyFilter::fits() const {
  if (sum_.value <= limit_.value && sum_.delta <= limit_.delta) return true;
  return rule_ == Rule::rho_within_delta && pure_sum_ && *pure_sum_ <= total_.amount;
}

std::string PrivacyFilter::overspent(const BudgetSpec& asked, const Cost& cost) const {
  const bool as_pure = cost.pure && pure_leaves_more();
  const Ledger::Balance now = balance(as_pure);
  const Ledger::Amount counted = as_pure ? Ledger::Amount{*cost.pure, 0} : cost.amount;
  std::string asked_text = describe(now.unit, counted, Rounding::up);
  if (asked.notion != now.unit) asked_text = fmt::format("{}, which counts as {}", asked.describe(), asked_text);
  return fmt::format(
      "data set '{}': the total of {} would be exceeded: spent {}, remaining {}, asked {}; nothing was reserved; "
      "ask for no more than remains",
      dataset_, total_.describe(), describe(now.unit, now.spent, Rounding::up),
      describe(now.unit, now.remaining, Rounding::down), asked_text);
}

void PrivacyFilter::add(const Cost& cost) {
  sum_.value += cost.amount.value;
  sum_.delta += cost.amount.delta;
  if (pure_sum_ && cost.pure) {
    *pure_sum_ += *cost.pure;
  } else {
    pure_sum_.reset();
  }
}

void PrivacyFilter::charge(const BudgetSpec& asked, const Guarantee& price) {
  check_relation(dataset_, total_.relation, asked.relation);
  check_relation(dataset_, total_.relation, price.relation);
  PrivacyFilter before = *this;
  if (rule_ == Rule::undecided) before.decide(first_rule(asked));
  const Cost more = before.cost(asked, price);
  if (more.amount.value <= 0 || more.amount.delta < 0 || (more.pure && *more.pure <= 0)) {
    throw InvalidInput(fmt::format("data set '{}': a release must cost more than 0", dataset_));
  }
  PrivacyFilter after = before;
  after.add(more);
  if (!after.fits()) throw BudgetExceeded(before.overspent(asked, more));
  *this = std::move(after);
}

bool PrivacyFilter::covers(const BudgetSpec& asked, const Guarantee& reserved, const Guarantee& released) const {
  const Cost before = cost(asked, reserved), after = cost(asked, released);
  const bool pure_covered = !before.pure || (after.pure && *after.pure <= *before.pure);
  return after.amount.value <= before.amount.value && after.amount.delta <= before.amount.delta && pure_covered;
}

}  // namespace dppl
