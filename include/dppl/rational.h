#pragma once

#include <gmpxx.h>

#include <string>
#include <string_view>

namespace dppl {

// Privacy parameters are exact: "0.1" is 1/10, and sums of costs have no rounding slack.
using Rational = mpq_class;

// Reads a decimal ("0.1", "1e-5", "12.") or a fraction ("3/8"). `what` names the value in the error, e.g. "ε".
// Throws InvalidInput for anything else (NaN and infinities included) and for values outside about 1e-300 … 1e300.
Rational parse_rational(std::string_view text, std::string_view what);

// The same, and the value must be above zero.
Rational parse_positive(std::string_view text, std::string_view what);

// Exact text that parse_rational reads back: a decimal where it ends within 40 digits, else a fraction.
std::string to_string(const Rational& value);

// For people: at most `digits` significant digits, rounded away from zero (up) or toward it.
enum class Rounding { up, down };
std::string to_decimal(const Rational& value, int digits, Rounding rounding);

// The closest multiple of a power of ten with `digits` significant digits on the given side of a non-negative value.
Rational round_significant(const Rational& value, int digits, Rounding rounding);

}  // namespace dppl
