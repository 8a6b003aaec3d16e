#include "dppl/random.h"

#include <pthread.h>
#include <sodium.h>

#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "dppl/error.h"

namespace dppl {
namespace detail {

std::atomic<uint64_t> fork_generation{0};

namespace {

void initialise_once() {
  static const bool done = [] {
    if (sodium_init() < 0) throw IoError("random source: libsodium cannot reach the operating system's entropy");
    pthread_atfork(nullptr, nullptr, [] { fork_generation.fetch_add(1, std::memory_order_relaxed); });
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace

ChaChaState& secure_state() {
  thread_local ChaChaState state;
  return state;
}

void ChaChaState::refill() {
  // The key serves one block only, so a constant nonce never repeats under a key.
  static constexpr uint8_t nonce[crypto_stream_chacha20_NONCEBYTES] = {};
  static_assert(sizeof key == crypto_stream_chacha20_KEYBYTES);
  crypto_stream_chacha20(reinterpret_cast<uint8_t*>(buffer), sizeof buffer, nonce, key);
  std::memcpy(key, buffer, sizeof key);
  next = sizeof key / sizeof buffer[0];
}

void ChaChaState::refill_from_os() {
  initialise_once();
  const uint64_t generation = detail::fork_generation.load(std::memory_order_relaxed);
  if (!seeded_from_os || fork_generation != generation) {
    randombytes_buf(key, sizeof key);
    seeded_from_os = true;
    fork_generation = generation;
  }
  refill();
}

}  // namespace detail

namespace {

// The start of a repeatable stream: a key made of a purpose, some bytes and a number.
std::unique_ptr<detail::ChaChaState> keyed_state(std::string_view purpose, std::span<const uint8_t> bytes,
                                                 uint64_t number) {
  std::string material(purpose);
  material.append(bytes.begin(), bytes.end());
  for (int i = 0; i < 8; ++i) material.push_back(static_cast<char>(number >> (8 * i) & 0xff));
  const Digest key = digest_of(material);
  auto state = std::make_unique<detail::ChaChaState>();
  static_assert(sizeof key == sizeof state->key && sizeof key == sizeof state->root);
  std::memcpy(state->key, key.data(), sizeof key);
  std::memcpy(state->root, key.data(), sizeof key);
  return state;
}

}  // namespace

SeededRandom::SeededRandom(uint64_t seed) : Random(keyed_state("dppl seed", {}, seed)) {}

Random Random::stream(uint64_t index) const {
  return seeded_ ? Random(keyed_state("dppl stream", seeded_->root, index)) : Random();
}

}  // namespace dppl
