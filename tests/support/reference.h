#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <span>
#include <string>

#include "dppl/rational.h"

// Comparing a function with values that were computed elsewhere, by tests/reference/conversions.py.
namespace dppl {

struct Reference {
  const char* function;
  const char* first;
  const char* second;  // empty for a function of one argument
  const char* value;   // 28 significant digits, rounded to nearest
};
using Functions = std::map<std::string, std::function<Rational(const Rational& first, const Rational& second)>>;

// Each result lies on the given side of its reference and within a relative 1e-15 of it.
void expect_bounds(std::span<const Reference> references, const Functions& functions, Rounding side);

}  // namespace dppl
