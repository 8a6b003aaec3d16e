#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "dppl/budget.h"

namespace dppl::cli {

// --epsilon E [--delta D] | --rho R, of which exactly one is required. The texts are exact rationals until read() makes
// numbers of them.
class BudgetOptions {
 public:
  // `meaning` heads the group in the help, e.g. "What the release may cost". The options keep pointing at this object.
  // required: whether none is wrong usage already while options are read; read() refuses it in any case.
  void add_to(CLI::App& command, const std::string& meaning, bool required = true);
  BudgetSpec read(Relation relation = Relation::add_remove) const;
  bool given() const { return !epsilon_.empty() || !rho_.empty(); }

 private:
  std::string epsilon_, delta_, rho_;
};

}  // namespace dppl::cli
