#pragma once

#include <vector>

#include "audit/duel.h"

namespace dppl {

// Every way to fit, on neighbours whose difference is hard to hide and on random ones.
std::vector<Duel> honest_fits();
// Fits with one thing wrong in each: what they claim is not what they do.
std::vector<Duel> planted_fits();

}  // namespace dppl
