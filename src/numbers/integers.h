#pragma once

#include <cstdint>
#include <string_view>

#include "dppl/rational.h"

namespace dppl {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

// Exact integer arithmetic: the result, or InvalidInput naming `what` when it does not fit.
int64_t checked_add(int64_t a, int64_t b, std::string_view what);
int64_t checked_multiply(int64_t a, int64_t b, std::string_view what);

mpz_class to_mpz(int128 value);
int128 to_int128(const mpz_class& value);  // precondition: |value| < 2^127

mpz_class ceil(const Rational& value);
mpz_class floor(const Rational& value);

}  // namespace dppl
