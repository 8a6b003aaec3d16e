#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dppl/privacy.h"
#include "dppl/random.h"

namespace dppl {

// One mechanism with the budget it claims to keep, on two neighbouring inputs.
struct Game {
  std::string name;
  std::string neighbours;
  Guarantee claim;
  // The output on input 0 or 1, as one integer.
  std::function<int64_t(int input, Random& random)> simulate;
};

// Every mechanism of the library.
std::vector<Game> honest_games();
// Broken on purpose: what they claim is not what they do.
std::vector<Game> planted_games();

}  // namespace dppl
