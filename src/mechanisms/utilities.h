#pragma once

#include "dppl/mechanisms.h"

namespace dppl {

// What every selection mechanism asks of its input before it draws: InvalidInput otherwise.
void check_utilities(const Utilities& utilities, const Budget& budget);

// Stamps a guarantee with where the randomness came from.
Guarantee drawn_from(const Random& random, Guarantee guarantee);

}  // namespace dppl
