#include "numbers/integers.h"

#include <fmt/format.h>

#include "dppl/error.h"

namespace dppl {

// The operands may be private: the message names what they are and not their values.
[[noreturn]] static void refuse_overflow(std::string_view what) {
  throw InvalidInput(fmt::format("{}: does not fit 64 bits; use a coarser grid or fewer records", what));
}

int64_t checked_add(int64_t a, int64_t b, std::string_view what) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result)) {
    refuse_overflow(what);
  }
  return result;
}

int64_t checked_multiply(int64_t a, int64_t b, std::string_view what) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result)) {
    refuse_overflow(what);
  }
  return result;
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
