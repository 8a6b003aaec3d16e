#pragma once

#include <functional>
#include <string>

#include "dppl/audit.h"
#include "dppl/random.h"

namespace dppl {

// Whole fits on two neighbouring data sets, and what an adversary who knows both makes of what was released.
struct Duel {
  std::string name;
  std::string neighbours;  // in words
  AuditMeasure measure = AuditMeasure::mu;
  Rational claim = 1;  // μ, or ε at delta
  Rational delta = 0;
  // The part of the claim that the bound must reach: 0.9 on worst-case neighbours, 0 on random ones.
  double reach = 0;
  // Fits on each of the two data sets, in parts of what was asked for; rare events need more.
  double effort = 1;
  // One fit on data set 0 or 1, told as one number: the larger, the more it looks like data set 1. The best there is is
  // the logarithm of the likelihood ratio of everything released (Neyman & Pearson).
  std::function<double(int world, Random& random)> simulate;
};

// Lower bounds at the stated confidence, from so many fits on each data set; a fifth more chooses the event.
// μ: any test of a μ-GDP release has Φ⁻¹(1 − α) − Φ⁻¹(β) ≤ μ (Dong, Roth & Su 2022), with α and β its rates of error.
// ε: Pr[event | one] ≤ e^ε·Pr[event | other] + δ.
AuditResult run_duel(const Duel& duel, uint64_t fits, double confidence, unsigned threads);

}  // namespace dppl
