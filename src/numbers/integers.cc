#include "numbers/integers.h"

#include <algorithm>
#include <limits>

#include "dppl/error.h"

namespace dppl {

int64_t saturated(int128 value) {
  constexpr int128 kMost = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::clamp(value, -kMost, kMost));
}

int64_t add_noise(int64_t statistic, int64_t noise) {
  constexpr int128 kLeast = -(int128{1} << 61), kMost = int128{1} << 62;
  // The message does not name the value, which is private.
  if (statistic < kLeast || statistic > kMost) throw InvalidInput("a sum over records does not fit 62 bits");
  return static_cast<int64_t>(std::clamp(int128{statistic} + noise, kLeast, kMost));
}

mpz_class to_mpz(int128 value) {
  const uint128 magnitude = value < 0 ? -static_cast<uint128>(value) : static_cast<uint128>(value);
  mpz_class result = static_cast<unsigned long>(magnitude >> 64);
  result <<= 64;
  result += static_cast<unsigned long>(magnitude);
  return value < 0 ? mpz_class(-result) : result;
}

int128 to_int128(const mpz_class& value) {
  const mpz_class magnitude = abs(value), high = magnitude >> 64;
  const auto result = static_cast<int128>((static_cast<uint128>(high.get_ui()) << 64) | magnitude.get_ui());
  return value < 0 ? -result : result;
}

mpz_class ceil(const Rational& value) {
  mpz_class result;
  mpz_cdiv_q(result.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return result;
}

mpz_class floor(const Rational& value) {
  mpz_class result;
  mpz_fdiv_q(result.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return result;
}

}  // namespace dppl
