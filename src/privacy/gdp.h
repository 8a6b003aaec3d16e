#pragma once

#include "dppl/rational.h"

namespace dppl {

// A lower bound on the largest ε such that every ε-DP mechanism is μ-GDP. Both directions of the conversion rest on it.
Rational pure_within_gdp(const Rational& mu);

}  // namespace dppl
