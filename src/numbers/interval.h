#pragma once

#include <gmpxx.h>
#include <mpfi.h>

#include <utility>

#include "base/strict_math.h"
#include "dppl/rational.h"

namespace dppl {

// A real number known to lie in [lower, upper]: MPFI's outward-rounded interval with value semantics. Every operation
// contains the exact result for every choice of operands inside their intervals, so a bound read off at the end is
// certified whatever was rounded on the way.
class Interval {
 public:
  static constexpr mpfr_prec_t kDefaultBits = 192;

  explicit Interval(const Rational& value, mpfr_prec_t bits = kDefaultBits) {
    mpfi_init2(value_, bits);
    mpfi_set_q(value_, value.get_mpq_t());
  }
  explicit Interval(long value, mpfr_prec_t bits = kDefaultBits) {
    mpfi_init2(value_, bits);
    mpfi_set_si(value_, value);
  }
  Interval(const Interval& other) {
    mpfi_init2(value_, mpfi_get_prec(other.value_));
    mpfi_set(value_, other.value_);
  }
  Interval& operator=(Interval other) {
    mpfi_swap(value_, other.value_);
    return *this;
  }
  ~Interval() { mpfi_clear(value_); }

  mpfr_prec_t bits() const { return mpfi_get_prec(value_); }
  mpfr_srcptr lower() const { return &value_->left; }
  mpfr_srcptr upper() const { return &value_->right; }

  // The ends as exact rationals (they are dyadic). Precondition: finite.
  Rational lower_rational() const { return to_rational(lower()); }
  Rational upper_rational() const { return to_rational(upper()); }

  friend Interval operator+(Interval a, const Interval& b) { return mpfi_add(a.value_, a.value_, b.value_), a; }
  friend Interval operator-(Interval a, const Interval& b) { return mpfi_sub(a.value_, a.value_, b.value_), a; }
  friend Interval operator*(Interval a, const Interval& b) { return mpfi_mul(a.value_, a.value_, b.value_), a; }
  friend Interval operator/(Interval a, const Interval& b) { return mpfi_div(a.value_, a.value_, b.value_), a; }
  friend Interval operator-(Interval a) { return mpfi_neg(a.value_, a.value_), a; }
  friend Interval exp(Interval a) { return mpfi_exp(a.value_, a.value_), a; }
  friend Interval expm1(Interval a) { return mpfi_expm1(a.value_, a.value_), a; }
  friend Interval log(Interval a) { return mpfi_log(a.value_, a.value_), a; }
  friend Interval log1p(Interval a) { return mpfi_log1p(a.value_, a.value_), a; }
  friend Interval sqrt(Interval a) { return mpfi_sqrt(a.value_, a.value_), a; }
  friend Interval square(Interval a) { return mpfi_sqr(a.value_, a.value_), a; }
  friend Interval scale2(Interval a, long exponent) { return mpfi_mul_2si(a.value_, a.value_, exponent), a; }

  // Φ, the standard normal distribution function (increasing: the ends map to the ends).
  friend Interval normal_cdf(const Interval& x);

 private:
  static Rational to_rational(mpfr_srcptr end) {
    Rational q;
    mpfr_get_q(q.get_mpq_t(), end);
    return q;
  }
  mpfi_t value_;
};

}  // namespace dppl
