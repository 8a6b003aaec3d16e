#pragma once

#include "dppl/mechanisms.h"

namespace dppl {

// What every selection mechanism asks of its input before it draws: InvalidInput otherwise.
void check_utilities(const Utilities& utilities, const Budget& budget);
// The parts of it, where the scores are not all in one place.
void check_candidates(uint64_t candidates, int64_t per_record, const Budget& budget);
void check_score(int64_t score);

// Stamps a guarantee with where the randomness came from.
Guarantee drawn_from(const Random& random, Guarantee guarantee);

}  // namespace dppl
