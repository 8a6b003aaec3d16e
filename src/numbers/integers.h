#pragma once

#include <cstdint>
#include <string_view>

#include "dppl/rational.h"

namespace dppl {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

// The nearest number of 64 bits, from −(2^63 − 1) to 2^63 − 1.
int64_t saturated(int128 value);
// A statistic plus noise, cut to −2^61 … 2^62. Where `noise` was saturated the result is the cut, whatever the
// statistic is: so the result is a function of their sum alone, and nothing is refused because of the noise. Throws
// InvalidInput for a statistic beyond the same range, which no number of records reaches.
int64_t add_noise(int64_t statistic, int64_t noise);

mpz_class to_mpz(int128 value);
int128 to_int128(const mpz_class& value);  // precondition: |value| < 2^127

mpz_class ceil(const Rational& value);
mpz_class floor(const Rational& value);

}  // namespace dppl
