#pragma once

#include <cmath>
#include <numbers>

#include "dppl/random.h"

// Real-valued draws, for simulations and comparisons only: floating point has no exact privacy proof, so nothing here
// may touch a release.
namespace dppl {

// Uniform in (0, 1).
inline double uniform(Random& random) { return (static_cast<double>(random.next64() >> 11) + 0.5) * 0x1p-53; }

inline double normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(uniform(random)));
  return radius * std::cos(2 * std::numbers::pi * uniform(random));
}

// Many standard normal draws: both of each pair that Box and Muller's method makes.
class Normals {
 public:
  explicit Normals(Random& random) : random_(random) {}

  double next() {
    kept_ = !kept_;
    if (!kept_) return second_;
    const double radius = std::sqrt(-2 * std::log(uniform(random_)));
    const double angle = 2 * std::numbers::pi * uniform(random_);
    second_ = radius * std::sin(angle);
    return radius * std::cos(angle);
  }

 private:
  Random& random_;
  double second_ = 0;
  bool kept_ = false;  // the second of a pair
};

}  // namespace dppl
