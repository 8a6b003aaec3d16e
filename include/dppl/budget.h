#pragma once

#include <span>
#include <string>
#include <vector>

#include "dppl/privacy.h"

namespace dppl {

enum class Notion { pure, zcdp, approximate };
std::string_view to_string(Notion notion);

// The amount a user is ready to spend, in one notion. A plain value; to spend it, make a Budget of it.
struct BudgetSpec {
  Notion notion = Notion::pure;
  Rational amount;  // ε, ρ or ε
  Rational delta;   // approximate only
  Relation relation = Relation::add_remove;

  static BudgetSpec pure(const Rational& epsilon, Relation relation = Relation::add_remove);
  static BudgetSpec zcdp(const Rational& rho, Relation relation = Relation::add_remove);
  static BudgetSpec approximate(const Rational& epsilon, const Rational& delta,
                                Relation relation = Relation::add_remove);

  // "ε = 0.1", "ρ = 0.125", "(ε, δ) = (1, 0.00001)"
  std::string describe() const;
  Guarantee as_guarantee() const;
  friend bool operator==(const BudgetSpec&, const BudgetSpec&) = default;
};

// Permission to release once. Move-only: a mechanism takes it by value, and what was spent cannot be spent again
// (using a moved-from budget throws BudgetExceeded). Obtained from a ledger reservation, or from unledgered().
class Budget {
 public:
  // The caller answers for the book-keeping. Throws InvalidInput unless the amount is above 0 (and 0 < δ < 1).
  static Budget unledgered(const BudgetSpec& spec);

  Budget(Budget&& other) noexcept;
  Budget& operator=(Budget&& other) noexcept;
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  bool spent() const { return spent_; }
  // Throws BudgetExceeded when already spent.
  const BudgetSpec& spec() const;

  // Sequential parts: shares are positive and sum to at most 1. Of an approximate budget, ε and δ are split by the same
  // shares.
  static std::vector<Budget> split(Budget whole, std::span<const Rational> shares);
  // The same permission in zCDP, for mechanisms with Gaussian noise that share it: ρ's split without loss. Throws as
  // rho() does.
  static Budget to_zcdp(Budget whole);
  // Parallel parts: each may spend the whole. For disjoint sets of records, and for parts of one release of which the
  // bound holds for all parts together (a person who is in several).
  static std::vector<Budget> parallel(Budget whole, size_t parts);

  // What each kind of mechanism may use of this budget, by the tightest conversion to the safe side. A notion from
  // which no conversion exists is refused with the reason.
  Rational bounded_range_epsilon() const;  // exponential mechanism and joint top-K
  Rational pure_epsilon() const;           // permute-and-flip, Laplace noise
  Rational rho() const;                    // discrete Gaussian noise; refused for a pure budget

 private:
  explicit Budget(BudgetSpec spec) : spec_(std::move(spec)) {}
  friend class Reservation;
  BudgetSpec spec_;
  bool spent_ = false;
};

// What a mechanism makes of a budget: the parameter that it runs at, rounded down, and the guarantee that this gives.
struct BudgetUse {
  std::string symbol;  // "ε" or "ρ"
  Rational parameter;
  Guarantee guarantee;
};
// "exponential", "permute-and-flip", "laplace" or "gaussian".
BudgetUse use_budget(std::string_view mechanism, const BudgetSpec& spec);

// An output together with what it cost.
template <typename T>
struct Released {
  T value;
  Guarantee guarantee;
};

}  // namespace dppl
