#pragma once

#include "random/discrete_laplace.h"

namespace dppl {

// The scale of discrete Laplace noise that hides a move of `sensitivity`: sensitivity/ε, or the next larger number that
// the sampler can hold. More noise than asked keeps the guarantee.
Rational laplace_scale(int64_t sensitivity, const Rational& epsilon);

}  // namespace dppl
