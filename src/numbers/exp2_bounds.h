#pragma once

#include <cstdint>

#include "base/strict_math.h"
#include "dppl/rational.h"
#include "numbers/integers.h"

namespace dppl {

// Certified bounds on exp(−γ), fast enough to decide millions of draws a second: no libm, integers and IEEE doubles
// with proved error bounds. What they cannot decide goes to Interval (see random/bernoulli.h).

// A real exponent X >= 0, known as a double x within a relative error of 2^-48, split for table look-up: 2^-X is about
// 2^-whole · 2^-(fraction/2^64).
struct BinaryExponent {
  uint64_t whole;  // at most X, certainly: 2^-X has that many leading zeros, whatever was rounded on the way to x
  uint64_t fraction;
  uint64_t slack;  // |X − (whole + fraction/2^64)| <= slack·2^-64 where X < kLargestExponent
};

// Exponents from here on are cut to this value, to keep the split within 64 bits. A smaller exponent is a larger bound,
// so `whole` and upper bounds stay valid; lower bounds are void long before.
inline constexpr double kLargestExponent = 0x1p40;
// What `whole` is for them.
inline constexpr uint64_t kLargestWhole = (uint64_t{1} << 40) - 1;

// Precondition: 0 <= x.
inline BinaryExponent split_exponent(double x) {
  if (!(x < kLargestExponent)) x = kLargestExponent;
  const auto whole = static_cast<uint64_t>(x);
  // Exact: the fractional part of a double is a double, and scaling by 2^64 is exact; the cast drops less than one
  // unit.
  const auto fraction = static_cast<uint64_t>((x - static_cast<double>(whole)) * 0x1p64);
  const uint64_t slack = static_cast<uint64_t>(x * 0x1p16) + 2;
  // x may have been rounded up to an integer or across it, so that X lies below `whole`. Then count from the integer
  // before: from whole − 2^-64, which is farther from X by fraction + 1 at most. slack <= 2^56 + 2, so X > whole − 1.
  if (fraction < slack && whole > 0) [[unlikely]]
    return {whole - 1, ~uint64_t{0}, slack + fraction + 1};
  return {whole, fraction, slack};
}

namespace detail {
struct Exp2Tables {
  uint64_t coarse[256];  // floor(2^63 · 2^-(i/2^8))
  uint64_t fine[256];    // floor(2^63 · 2^-(i/2^16))
  Exp2Tables();
};
extern const Exp2Tables exp2_tables;
}  // namespace detail

// Bounds on 2^63 · 2^-(fraction/2^64 ± slack·2^-64).
struct Exp2Bounds {
  uint64_t lower, upper;
};

// Proof of the bounds, in units of 2^-63 unless said otherwise. Write fraction = i·2^56 + j·2^48 + r, r < 2^48, so that
// 2^-(fraction/2^64) = coarse_i · fine_j · e^-y with y = r·ln2·2^-64 < 2^-16.5.
//  · y at scale 2^80 is floored twice: short by less than 2. y²/2 and y³/6 likewise. The series alternates, so
//    e^-y = 1 − y + y²/2 − y³/6 + θ with 0 <= θ <= y⁴/24 < 2^-70, 2^10 units of 2^-80. Altogether less than 2^11 units
//    of 2^-80, that is less than 1 of ours; the shift to 2^-63 adds less than 1: e^-y is known within ±2.
//  · Each table entry is short by less than 1. A product of two factors <= 2^63, each known within a and b, is known
//    within a + b + 2 after the floor. So coarse·fine is known within 4 and the whole within 4 + 2 + 2 = 8 < 16.
//  · d(2^-x)/dx >= −ln 2 for x >= 0, so `slack` units of 2^-64 in x move the value by less than `slack` units of 2^-63.
inline Exp2Bounds exp2_bounds(uint64_t fraction, uint64_t slack) {
  constexpr uint64_t kLn2 = 0xB17217F7D1CF79ABull;  // floor(ln 2 · 2^64)
  const uint64_t r = fraction & ((uint64_t{1} << 48) - 1);
  const auto y = static_cast<uint64_t>((static_cast<uint128>(r) * kLn2) >> 48);         // scale 2^80
  const auto half_square = static_cast<uint64_t>((static_cast<uint128>(y) * y) >> 81);  // scale 2^80
  const auto cube_sixth = static_cast<uint64_t>((static_cast<uint128>(half_square) * y) >> 80) / 3;
  const uint64_t exp_y = (uint64_t{1} << 63) - ((y - half_square + cube_sixth) >> 17);  // scale 2^63
  const uint64_t coarse = detail::exp2_tables.coarse[fraction >> 56];
  const uint64_t fine = detail::exp2_tables.fine[(fraction >> 48) & 255];
  const auto table = static_cast<uint64_t>((static_cast<uint128>(coarse) * fine) >> 63);
  const auto value = static_cast<uint64_t>((static_cast<uint128>(table) * exp_y) >> 63);
  const uint64_t margin = slack + 16;
  return {value > margin ? value - margin : 0, value + margin};
}

// unit·log2(e), correctly rounded: a factor c such that double(n)·c is n·unit·log2(e) within a relative error of 2^-51
// for every integer n (three roundings of 2^-53 each).
double binary_exponent_unit(const Rational& unit);

}  // namespace dppl
