#include "base/digest.h"

#include <cassert>

#include "dppl/error.h"

namespace dppl {

Digest digest_of(std::span<const std::byte> bytes) { return digest_of(bytes, {}); }

Digest digest_of(std::string_view text) { return digest_of(std::as_bytes(std::span(text))); }

Digest digest_of(std::span<const std::byte> first, std::span<const std::byte> second) {
  DigestStream stream;
  stream.add(first);
  stream.add(second);
  return stream.finish();
}

DigestStream::DigestStream() {
  static const bool ready = sodium_init() >= 0;  // it takes a lock, which a digest per row would wait for
  if (!ready) throw IoError("digest: libsodium cannot start");
  crypto_generichash_init(&state_, nullptr, 0, sizeof(Digest));
}

void DigestStream::add(std::span<const std::byte> bytes) {
  crypto_generichash_update(&state_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

Digest DigestStream::finish() {
  Digest digest;
  static_assert(sizeof digest == crypto_generichash_BYTES);
  crypto_generichash_final(&state_, reinterpret_cast<unsigned char*>(digest.data()), sizeof digest);
  return digest;
}

std::string to_hex(const Digest& digest) {
  std::array<char, 2 * sizeof digest + 1> hex;
  return sodium_bin2hex(hex.data(), hex.size(), reinterpret_cast<const unsigned char*>(digest.data()), sizeof digest);
}

Digest from_hex(const std::string& hex) {
  Digest digest{};
  [[maybe_unused]] const int failed = sodium_hex2bin(reinterpret_cast<unsigned char*>(digest.data()), sizeof digest,
                                                     hex.data(), hex.size(), nullptr, nullptr, nullptr);
  assert(failed == 0);
  return digest;
}

}  // namespace dppl
