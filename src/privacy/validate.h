#pragma once

#include <string_view>

#include "dppl/rational.h"

// What every privacy function asks of its arguments. `name` is the symbol in the message, e.g. "ε".
namespace dppl {

// A cost: nothing is a cost too.
void require_cost(const Rational& value, std::string_view name);
void require_positive(const Rational& value, std::string_view name);
void require_delta(const Rational& delta);  // 0 < δ < 1
void require_order(const Rational& alpha);  // α > 1

}  // namespace dppl
