#pragma once

#include <cstdint>

#include "dppl/random.h"

namespace dppl {

// A ChaCha20 stream with a buffer. Each refill replaces the key by output that is never handed out, so what was drawn
// earlier cannot be recomputed from memory read later.
struct ChaChaStream : detail::ReadyWords {
  static constexpr int kWords = 512;
  uint64_t buffer[kWords];
  uint8_t key[32];
  uint8_t root[32];  // the first key of a seeded stream, from which its parts are derived
  bool keyed_by_os = false;

  void refill();          // the next block
  void refill_from_os();  // the same for a secure stream, which takes a key from the operating system where it has none
  // Whatever was ready, and the key, is for the parent process.
  void forget();
};

}  // namespace dppl
