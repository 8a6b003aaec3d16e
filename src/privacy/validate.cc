#include "privacy/validate.h"

#include <fmt/format.h>

#include "dppl/error.h"

namespace dppl {
namespace {

void require(bool good, const Rational& value, std::string_view name, std::string_view rule) {
  if (!good) throw InvalidInput(fmt::format("{} = {}: {}", name, to_string(value), rule));
}

}  // namespace

void require_cost(const Rational& value, std::string_view name) {
  require(value >= 0, value, name, "a privacy cost cannot be below 0");
}

void require_positive(const Rational& value, std::string_view name) {
  require(value > 0, value, name, "must be above 0");
}

void require_delta(const Rational& delta) {
  require(delta > 0 && delta < 1, delta, "δ", "must lie between 0 and 1, both excluded, such as 1e-6");
}

void require_order(const Rational& alpha) { require(alpha > 1, alpha, "α", "a Rényi order must be above 1"); }

}  // namespace dppl
