#include "random/uniform.h"

namespace dppl {

uint128 uniform_below(Random& random, uint128 n) {
  if (n >> 64 == 0) return uniform_below(random, static_cast<uint64_t>(n));
  const int bits = 128 - __builtin_clzll(static_cast<uint64_t>((n - 1) >> 64) | 1);
  const uint128 mask = bits == 128 ? ~uint128{0} : (uint128{1} << bits) - 1;
  while (true) {
    const uint128 high = random.next64();
    const uint128 candidate = ((high << 64) | random.next64()) & mask;
    if (candidate < n) return candidate;
  }
}

mpz_class uniform_below(Random& random, const mpz_class& n) {
  const mpz_class largest = n - 1;
  const size_t bits = mpz_sizeinbase(largest.get_mpz_t(), 2);
  while (true) {
    mpz_class candidate;
    for (size_t drawn = 0; drawn < bits; drawn += 64) {
      candidate <<= 64;
      candidate += static_cast<unsigned long>(random.next64());
    }
    mpz_tdiv_r_2exp(candidate.get_mpz_t(), candidate.get_mpz_t(), bits);
    if (candidate < n) return candidate;
  }
}

}  // namespace dppl
