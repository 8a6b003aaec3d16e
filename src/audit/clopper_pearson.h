#pragma once

#include <cstdint>

namespace dppl {

// One-sided bounds on a probability of which `hits` of `trials` were seen, each wrong with probability at most alpha
// (Clopper & Pearson 1934).
double clopper_pearson_lower(uint64_t hits, uint64_t trials, double alpha);
double clopper_pearson_upper(uint64_t hits, uint64_t trials, double alpha);

}  // namespace dppl
