#pragma once

#include "dppl/random.h"

namespace dppl {

// The named parts of a fit's randomness. Each part is a stream of its own, the same whichever thread draws from it, so
// that no release depends on how much another one drew. The numbers never change: seeded models depend on them.
class FitStreams {
 public:
  FitStreams(const Random& random, size_t classes) : random_(random), classes_(classes) {}

  Random class_sum(size_t c) const { return random_.stream(c); }
  Random centre() const { return random_.stream(classes_); }
  Random second_moment() const { return random_.stream(2 * classes_); }
  Random class_count(size_t c) const { return random_.stream(2 * classes_ + 1 + c); }
  Random gradient(size_t step) const { return random_.stream(3 * classes_ + 1 + step); }

 private:
  const Random& random_;
  size_t classes_;
};

}  // namespace dppl
