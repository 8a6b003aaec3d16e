#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dppl/budget.h"
#include "dppl/random.h"

// How many records the classes have, released once.
namespace dppl {

// Adds noise to the sizes, in place. A record is in one class only, so every class may spend the whole budget. Class c
// draws from random.stream(first_stream + c).
Guarantee release_sizes(std::vector<int64_t>& sizes, Budget budget, Random& random, uint64_t first_stream);

// What noisy sizes say about a data set, in steps so coarse that neighbouring data sets mostly give the same.
struct SizeGuess {
  uint64_t records = 1;  // in all classes together
  double ratio = 0;      // of the largest class to the smallest: 1, 10 or 100; 0: cannot be told from noise
};
// `variance`: of the noise. Released values only.
SizeGuess guess_sizes(std::span<const int64_t> noisy, double variance);

}  // namespace dppl
