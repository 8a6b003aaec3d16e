#include "random/discrete_laplace.h"

#include <fmt/format.h>

#include "dppl/error.h"

namespace dppl {
namespace {

constexpr int64_t kLargest = int64_t{1} << 62;

const Rational& checked_scale(const Rational& scale) {
  if (scale <= 0 || scale.get_num() >= kLargest || scale.get_den() >= kLargest) {
    throw InvalidInput(fmt::format(
        "discrete Laplace: scale {} must be above 0 with numerator and denominator below 2^62", to_string(scale)));
  }
  return scale;
}

}  // namespace

DiscreteLaplace::DiscreteLaplace(const Rational& scale)
    : numerator_(checked_scale(scale).get_num().get_ui()),
      denominator_(scale.get_den().get_ui()),
      part_(Rational(1, scale.get_num())),
      whole_(1) {}

int128 DiscreteLaplace::exact(Random& random) const {
  while (true) {
    // remainder + numerator·turns is geometric with ratio exp(−1/numerator); dividing by the denominator makes it
    // geometric with ratio exp(−1/scale).
    const uint64_t remainder = uniform_below(random, numerator_);
    if (!part_(random, remainder)) continue;
    int64_t turns = 0;
    while (whole_(random, 1)) ++turns;
    const int128 magnitude = (int128{turns} * numerator_ + remainder) / denominator_;
    const bool negative = random.next64() >> 63 != 0;
    if (negative && magnitude == 0) continue;  // or zero would count twice
    return negative ? -magnitude : magnitude;
  }
}

}  // namespace dppl
