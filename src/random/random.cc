#include "dppl/random.h"

#include <pthread.h>
#include <sodium.h>

#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "dppl/error.h"
#include "random/chacha_stream.h"

namespace dppl {
namespace {

ChaChaStream& secure_stream() {
  thread_local ChaChaStream stream;
  return stream;
}

void initialise_once() {
  static const bool done = [] {
    if (sodium_init() < 0) throw IoError("random source: libsodium cannot reach the operating system's entropy");
    // The thread that forked is the only one of the child, and this runs in it before fork() returns.
    pthread_atfork(nullptr, nullptr, [] { secure_stream().forget(); });
    return true;
  }();
  static_cast<void>(done);
}

// The start of a repeatable stream: a key made of a purpose, some bytes and a number.
std::shared_ptr<ChaChaStream> keyed_stream(std::string_view purpose, std::span<const uint8_t> bytes, uint64_t number) {
  std::string material(purpose);
  material.append(bytes.begin(), bytes.end());
  for (int i = 0; i < 8; ++i) material.push_back(static_cast<char>(number >> (8 * i) & 0xff));
  const Digest key = digest_of(material);
  auto stream = std::make_shared<ChaChaStream>();
  static_assert(sizeof key == sizeof stream->key && sizeof key == sizeof stream->root);
  std::memcpy(stream->key, key.data(), sizeof key);
  std::memcpy(stream->root, key.data(), sizeof key);
  return stream;
}

}  // namespace

void ChaChaStream::refill() {
  // The key serves one block only, so a constant nonce never repeats under a key.
  static constexpr uint8_t nonce[crypto_stream_chacha20_NONCEBYTES] = {};
  static_assert(sizeof key == crypto_stream_chacha20_KEYBYTES);
  crypto_stream_chacha20(reinterpret_cast<uint8_t*>(buffer), sizeof buffer, nonce, key);
  std::memcpy(key, buffer, sizeof key);
  next = buffer + sizeof key / sizeof buffer[0];
  end = buffer + kWords;
}

void ChaChaStream::refill_from_os() {
  initialise_once();
  if (!keyed_by_os) {
    randombytes_buf(key, sizeof key);
    keyed_by_os = true;
  }
  refill();
}

void ChaChaStream::forget() {
  next = end;
  keyed_by_os = false;
}

SeededRandom::SeededRandom(uint64_t seed) : Random(keyed_stream("dppl seed", {}, seed)) {}

detail::ReadyWords& Random::secure_words() { return secure_stream(); }

void Random::refill(detail::ReadyWords& words) const {
  auto& stream = static_cast<ChaChaStream&>(words);
  seeded_ ? stream.refill() : stream.refill_from_os();
}

Random Random::stream(uint64_t index) const {
  if (!seeded_) return Random();
  return Random(keyed_stream("dppl stream", static_cast<const ChaChaStream&>(*seeded_).root, index));
}

}  // namespace dppl
