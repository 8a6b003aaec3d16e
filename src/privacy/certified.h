#pragma once

#include <functional>

#include "dppl/rational.h"
#include "numbers/interval.h"

// From enclosures to rationals that are bounds. Results carry 18 significant digits.
namespace dppl {

using Enclosure = std::function<Interval(mpfr_prec_t bits)>;
using Holds = std::function<bool(const Rational& value)>;

// The enclosure at the first precision where its width no longer shows in 18 digits, or at the last one tried: a
// difference of almost equal numbers, such as a tiny δ, needs more bits than its terms. Any outcome is an enclosure.
Interval refine(const Enclosure& enclosure);

// An upper bound on a number that is no less than 0. What is smaller than 2^-3400 becomes that.
Rational upper_bound(const Interval& enclosure);
// A lower bound on a number that is no less than 0. What is smaller than 2^-3400 becomes 0.
Rational lower_bound(const Interval& enclosure);

// √value: exact where the root is rational, else rounded to the given side.
Rational square_root(const Rational& value, Rounding rounding);

// The smallest (largest) number of 18 digits between `fails` and `works` for which `holds`, by bisection. `holds` is
// monotone; the caller knows that `works` is right, and the result was tried or is `works` rounded to the safe side.
Rational smallest_that_holds(const Rational& fails, const Rational& works, const Holds& holds);
Rational largest_that_holds(const Rational& works, const Rational& fails, const Holds& holds);

// The value, or the first smaller one on the way down for which `holds`; 0 when there is none.
Rational step_down_until(Rational value, const Holds& holds);

// About the positive number where a condition turns from false to true. Nothing is certified: for searches only.
Rational turning_point(const Holds& is_above);

// ln 1/δ for 0 < δ < 1, accurate at both ends.
Interval log_inverse(const Rational& delta, mpfr_prec_t bits);

}  // namespace dppl
