#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "dppl/budget.h"

namespace dppl::cli {

// --epsilon E [--delta D] | --rho R, of which exactly one is required, and --neighbours. The texts are exact
// rationals until read() makes numbers of them.
class BudgetOptions {
 public:
  // `meaning` heads the group in the help, e.g. "What the release may cost". The options keep pointing at this object.
  void add_to(CLI::App& command, const std::string& meaning);
  BudgetSpec read() const;

 private:
  std::string epsilon_, delta_, rho_, neighbours_ = "add-remove";
};

}  // namespace dppl::cli
