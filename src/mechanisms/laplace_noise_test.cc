#include "mechanisms/laplace_noise.h"

#include <gtest/gtest.h>

#include "dppl/error.h"

namespace dppl {
namespace {

TEST(LaplaceScale, IsExactOrRoundedUp) {
  EXPECT_EQ(laplace_scale(3, Rational(1, 2)), Rational(6));
  const Rational awkward(mpz_class("123456789012345678"), mpz_class("100000000000000000"));
  const Rational scale = laplace_scale(1000003, awkward);
  EXPECT_GE(scale, Rational(1000003) / awkward);
  EXPECT_LE(scale, Rational(1000003) / awkward * Rational(1000001, 1000000));
  EXPECT_LT(scale.get_num(), mpz_class(1) << 62);
  EXPECT_THROW(laplace_scale(int64_t{1} << 60, Rational(1, 1000)), InvalidInput);
}

}  // namespace
}  // namespace dppl
