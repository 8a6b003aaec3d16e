#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dppl/model.h"

// The sentences in which a model's guarantee is told, on the terminal and in reports. Numbers are rounded to the safe
// side.
namespace dppl {

// Exact where that is readable.
std::string amount_words(const Rational& value);
// A cost, rounded up; "none" where no bound is known.
std::string cost_words(const std::optional<Rational>& value);

std::string_view method_words(const Model& model);
// What one record or person more or less can do, in the notion of the budget. Two or three lines.
std::string guarantee_words(const Model& model);
// How often somebody who knows all others, and holds both possibilities for equally likely, can be right about one
// record or person: "53.03%", and a sentence around it. Empty where no bound is known.
std::string guess_percent(const Guarantee& guarantee);
std::string guess_words(const Guarantee& guarantee);
std::string_view protected_words(Relation relation);
std::vector<std::string> unprotected_words(const Guarantee& guarantee);

// The cost in several notions: name and value.
using Costs = std::vector<std::pair<std::string, std::string>>;
Costs costs_in_words(const Guarantee& guarantee);

}  // namespace dppl
