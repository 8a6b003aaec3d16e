#include "support/reference.h"

namespace dppl {

void expect_bounds(std::span<const Reference> references, const Functions& functions, Rounding side) {
  const Rational closeness = parse_rational("1e-15", "closeness"), last_digit = parse_rational("1e-27", "last digit");
  for (const Reference& reference : references) {
    const Rational expected = parse_rational(reference.value, reference.function);
    const Rational first = parse_rational(reference.first, reference.function);
    const Rational second = *reference.second == 0 ? Rational(0) : parse_rational(reference.second, reference.function);
    const Rational actual = functions.at(reference.function)(first, second);
    const Rational beyond = side == Rounding::up ? actual - expected : expected - actual;
    EXPECT_GE(beyond, -last_digit * expected) << reference.function << "(" << reference.first << ", "
                                              << reference.second << ") = " << to_decimal(actual, 30, Rounding::down);
    EXPECT_LE(beyond, closeness * expected) << reference.function << "(" << reference.first << ", " << reference.second
                                            << ") = " << to_decimal(actual, 30, Rounding::down);
  }
}

}  // namespace dppl
