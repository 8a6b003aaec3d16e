#include "dppl/rational.h"

#include <fmt/format.h>

#include <cctype>

#include "dppl/error.h"
#include "numbers/constants.h"

namespace dppl {
namespace {

[[noreturn]] void refuse(std::string_view text, std::string_view what, std::string_view why) {
  // A value of any length may come from a file or a network: quote its beginning only.
  const bool cut = text.size() > 40;
  throw InvalidInput(fmt::format("{}: '{}{}' {}; give a decimal such as 0.1 or 1e-5, or a fraction such as 1/8", what,
                                 text.substr(0, 40), cut ? "…" : "", why));
}

mpz_class power_of_ten(unsigned long exponent) {
  mpz_class result;
  mpz_ui_pow_ui(result.get_mpz_t(), 10, exponent);
  return result;
}

// Reads digits from the front of `text` onto `digits`; returns how many.
size_t take_digits(std::string_view& text, std::string& digits) {
  size_t count = 0;
  while (count < text.size() && std::isdigit(static_cast<unsigned char>(text[count]))) ++count;
  digits.append(text.substr(0, count));
  text.remove_prefix(count);
  return count;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// The largest e with 10^e <= value. Precondition: value > 0.
long decimal_exponent(const Rational& value) {
  long exponent = static_cast<long>(mpz_sizeinbase(value.get_num_mpz_t(), 10)) -
                  static_cast<long>(mpz_sizeinbase(value.get_den_mpz_t(), 10));
  const auto power = [](long e) {
    return e >= 0 ? Rational(power_of_ten(static_cast<unsigned long>(e)))
                  : Rational(1, power_of_ten(static_cast<unsigned long>(-e)));
  };
  while (power(exponent) > value) --exponent;
  while (power(exponent + 1) <= value) ++exponent;
  return exponent;
}

}  // namespace

Rational parse_rational(std::string_view text, std::string_view what) {
  const std::string_view whole = text;
  if (text.size() > kLongestNumber) refuse(whole, what, "is too long");
  const bool negative = !text.empty() && text.front() == '-';
  take(text, "+-");

  std::string digits;
  size_t integer_digits = take_digits(text, digits);
  if (take(text, "/")) {
    std::string denominator;
    if (integer_digits == 0 || take_digits(text, denominator) == 0 || !text.empty()) {
      refuse(whole, what, "is not a number");
    }
    mpz_class bottom(denominator, 10);
    if (bottom == 0) refuse(whole, what, "divides by zero");
    Rational result(mpz_class(digits, 10), bottom);
    result.canonicalize();
    return negative ? Rational(-result) : result;
  }

  size_t fraction_digits = take(text, ".") ? take_digits(text, digits) : 0;
  if (integer_digits + fraction_digits == 0) refuse(whole, what, "is not a number");
  long exponent = 0;
  if (take(text, "eE")) {
    const bool negative_exponent = !text.empty() && text.front() == '-';
    take(text, "+-");
    std::string exponent_digits;
    if (take_digits(text, exponent_digits) == 0) refuse(whole, what, "is not a number");
    if (exponent_digits.size() > 4 || std::stol(exponent_digits) > kMaxExponent) {
      refuse(whole, what, "is out of range");
    }
    exponent = std::stol(exponent_digits) * (negative_exponent ? -1 : 1);
  }
  if (!text.empty()) refuse(whole, what, "is not a number");

  exponent -= static_cast<long>(fraction_digits);
  mpz_class numerator(digits, 10), denominator = 1;
  (exponent >= 0 ? numerator : denominator) *= power_of_ten(static_cast<unsigned long>(std::labs(exponent)));
  Rational result(negative ? mpz_class(-numerator) : numerator, denominator);
  result.canonicalize();
  return result;
}

Rational parse_positive(std::string_view text, std::string_view what) {
  Rational value = parse_rational(text, what);
  if (value <= 0) refuse(text, what, "must be above 0");
  return value;
}

std::string to_string(const Rational& value) {
  mpz_class rest = value.get_den();
  const unsigned long twos = mpz_scan1(rest.get_mpz_t(), 0);
  mpz_tdiv_q_2exp(rest.get_mpz_t(), rest.get_mpz_t(), twos);
  const mpz_class five = 5;
  const unsigned long fives = mpz_remove(rest.get_mpz_t(), rest.get_mpz_t(), five.get_mpz_t());
  const unsigned long decimals = std::max(twos, fives);
  if (rest != 1 || decimals > kMaxDecimals) return value.get_str();

  mpz_class scaled = abs(value.get_num()) * power_of_ten(decimals) / value.get_den();
  std::string digits = scaled.get_str();
  if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
  if (decimals > 0) digits.insert(digits.size() - decimals, 1, '.');
  return value < 0 ? "-" + digits : digits;
}

Rational round_significant(const Rational& value, int digits, Rounding rounding) {
  if (value == 0) return value;
  if (value < 0) return Rational(-round_significant(-value, digits, rounding));
  const long shift = digits - 1 - decimal_exponent(value);
  const Rational unit = shift >= 0 ? Rational(1, power_of_ten(static_cast<unsigned long>(shift)))
                                   : Rational(power_of_ten(static_cast<unsigned long>(-shift)));
  const Rational scaled = value / unit;
  mpz_class steps;
  if (rounding == Rounding::up) {
    mpz_cdiv_q(steps.get_mpz_t(), scaled.get_num_mpz_t(), scaled.get_den_mpz_t());
  } else {
    mpz_fdiv_q(steps.get_mpz_t(), scaled.get_num_mpz_t(), scaled.get_den_mpz_t());
  }
  return Rational(steps) * unit;
}

std::string to_decimal(const Rational& value, int digits, Rounding rounding) {
  const Rational rounded = round_significant(value, digits, rounding);
  if (rounded == 0) return "0";
  const Rational magnitude = abs(rounded);
  const long exponent = decimal_exponent(magnitude);
  if (exponent >= -5 && exponent < 15) return to_string(rounded);
  // Scientific: the mantissa is exact because the value has few digits.
  const Rational unit = exponent >= 0 ? Rational(power_of_ten(static_cast<unsigned long>(exponent)))
                                      : Rational(1, power_of_ten(static_cast<unsigned long>(-exponent)));
  return fmt::format("{}e{}", to_string(Rational(rounded / unit)), exponent);
}

}  // namespace dppl
