#pragma once

#include <optional>
#include <string>

#include "dppl/ledger.h"

namespace dppl {

// What one data set has spent of its total, and whether more fits. Whoever asks may have seen every earlier release, so
// the rule by which costs add up is fixed before the first release; docs/ledger.md proves each rule for costs chosen in
// the light of earlier outputs.
class PrivacyFilter {
 public:
  PrivacyFilter(std::string dataset, BudgetSpec total);

  const BudgetSpec& total() const { return total_; }
  Ledger::Balance balance() const { return balance(pure_leaves_more()); }

  // Throws BudgetExceeded when it does not fit and InvalidInput when it cannot be counted against this total; nothing
  // is charged then.
  void charge(const BudgetSpec& asked, const Guarantee& price);

  // Whether `released` counts for no more against this total than `reserved` did.
  bool covers(const BudgetSpec& asked, const Guarantee& reserved, const Guarantee& released) const;

 private:
  enum class Rule {
    undecided,         // an (ε, δ) total before its first reservation
    epsilon,           // Σε ≤ total
    rho,               // Σρ ≤ total
    epsilon_delta,     // (Σε, Σδ) ≤ total
    rho_within_delta,  // Σρ ≤ the ρ that the (ε, δ) total affords, or all pure and Σε ≤ total
  };
  struct Cost {
    Ledger::Amount amount;         // in the unit of the rule
    std::optional<Rational> pure;  // rho_within_delta: the ε, where there is one
  };

  [[noreturn]] void no_bound(std::string_view bound, std::string_view advice) const;
  Rational pure_cost(const Guarantee& price) const;
  Rational zcdp_cost(const Guarantee& price) const;
  static Rule total_rule(Notion notion);
  static Rule first_rule(const BudgetSpec& asked);
  Cost cost(const BudgetSpec& asked, const Guarantee& price) const;
  void decide(Rule rule);
  void add(const Cost& cost);
  bool fits() const;
  bool pure_leaves_more() const;
  Ledger::Balance balance(bool as_pure) const;
  std::string overspent(const BudgetSpec& asked, const Cost& cost) const;

  std::string dataset_;
  BudgetSpec total_;
  Rule rule_;
  Ledger::Amount sum_, limit_;                      // in the unit of the rule
  std::optional<Rational> pure_sum_ = Rational(0);  // empty once something was charged that has no pure ε
};

// Whether a mechanism with this price stays within what it was asked to.
bool stays_within(const Guarantee& price, const BudgetSpec& asked);

}  // namespace dppl
