#include "cli/budget_options.h"

namespace dppl::cli {

void BudgetOptions::add_to(CLI::App& command, const std::string& meaning, bool required) {
  CLI::Option_group* group = command.add_option_group("Budget", meaning + " (give one)");
  CLI::Option* epsilon = group->add_option("--epsilon", epsilon_, "Pure ε-DP; with --delta (ε, δ)-DP")->type_name("E");
  group->add_option("--delta", delta_, "The δ of (ε, δ)-DP")->type_name("D")->needs(epsilon);
  group->add_option("--rho", rho_, "ρ-zCDP")->type_name("R")->excludes(epsilon);
  group->require_option(required ? 1 : 0, 2);
}

BudgetSpec BudgetOptions::read(Relation relation) const {
  if (!given()) throw CLI::RequiredError("--epsilon or --rho");
  if (!rho_.empty()) return BudgetSpec::zcdp(parse_positive(rho_, "--rho"), relation);
  const Rational epsilon = parse_positive(epsilon_, "--epsilon");
  if (delta_.empty()) return BudgetSpec::pure(epsilon, relation);
  return BudgetSpec::approximate(epsilon, parse_positive(delta_, "--delta"), relation);
}

}  // namespace dppl::cli
