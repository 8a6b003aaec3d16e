#pragma once

#include "dppl/model.h"

// What a model's descriptions say of its guarantee, in words and in JSON.
namespace dppl {

// The δ at which (ε, δ) is told beside the notion of the budget.
inline constexpr const char* kStatedDeltas[] = {"1e-5", "1e-6"};

// What was spent, in the notion that the user budgeted in; for (ε, δ) the ε at the budget's δ. Empty: no bound is
// known.
std::optional<Rational> stated_amount(const Model& model);

// The price when a record is replaced by any other; empty where it does not follow, as for people.
std::optional<Guarantee> replace_one_price(const Guarantee& guarantee);

}  // namespace dppl
