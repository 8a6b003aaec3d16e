#pragma once

#include <cfloat>
#include <limits>

// Error bounds, and that a record becomes the same whatever stands beside it, are proved for IEEE arithmetic as it is
// written. Included wherever floating-point numbers take part in what a record becomes or in a draw: a build with other
// rules does not compile.
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0) || \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || (defined(__GCC_IEC_559) && __GCC_IEC_559 == 0)
#error "dppl needs IEEE arithmetic: its privacy proofs do not hold with -ffast-math or a part of it; build without"
#endif

namespace dppl {

static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559,
              "dppl needs IEEE arithmetic: its privacy proofs are for it");
static_assert(FLT_EVAL_METHOD == 0,
              "dppl needs IEEE arithmetic: float and double are rounded after each operation; on x86 use -mfpmath=sse");

}  // namespace dppl
