#pragma once

#include <cstdint>

#include "dppl/random.h"
#include "numbers/integers.h"

namespace dppl {

// Uniform on {0, …, n − 1}, exactly. Precondition: n > 0.
inline uint64_t uniform_below(Random& random, uint64_t n) {
  // Lemire 2019: the high word of a product is uniform once low words below 2^64 mod n are rejected.
  uint128 product = static_cast<uint128>(random.next64()) * n;
  if (static_cast<uint64_t>(product) < n) {
    const uint64_t reject_below = (0 - n) % n;
    while (static_cast<uint64_t>(product) < reject_below) product = static_cast<uint128>(random.next64()) * n;
  }
  return static_cast<uint64_t>(product >> 64);
}

uint128 uniform_below(Random& random, uint128 n);
mpz_class uniform_below(Random& random, const mpz_class& n);

}  // namespace dppl
