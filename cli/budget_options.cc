#include "cli/budget_options.h"

namespace dppl::cli {

void BudgetOptions::add_to(CLI::App& command, const std::string& meaning) {
  CLI::Option_group* group = command.add_option_group("Budget", meaning);
  CLI::Option* epsilon = group->add_option("--epsilon", epsilon_, "Pure ε-DP; with --delta (ε, δ)-DP")->type_name("E");
  group->add_option("--rho", rho_, "ρ-zCDP")->type_name("R");
  group->require_option(1);
  command.add_option("--delta", delta_, "The δ that goes with --epsilon")->type_name("D")->needs(epsilon);
  command.add_option("--neighbours", neighbours_, "Which data sets count as neighbours")
      ->check(CLI::IsMember({"add-remove", "replace-in-class"}))
      ->capture_default_str();
}

BudgetSpec BudgetOptions::read() const {
  const Relation relation = parse_relation(neighbours_);
  if (!rho_.empty()) return BudgetSpec::zcdp(parse_positive(rho_, "--rho"), relation);
  const Rational epsilon = parse_positive(epsilon_, "--epsilon");
  if (delta_.empty()) return BudgetSpec::pure(epsilon, relation);
  return BudgetSpec::approximate(epsilon, parse_positive(delta_, "--delta"), relation);
}

}  // namespace dppl::cli
