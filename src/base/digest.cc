#include "base/digest.h"

#include <sodium.h>

#include <cassert>

#include "dppl/error.h"

namespace dppl {

Digest digest_of(std::span<const std::byte> bytes) { return digest_of(bytes, {}); }

Digest digest_of(std::string_view text) { return digest_of(std::as_bytes(std::span(text))); }

Digest digest_of(std::span<const std::byte> first, std::span<const std::byte> second) {
  if (sodium_init() < 0) throw IoError("digest: libsodium cannot start");
  Digest digest;
  static_assert(sizeof digest == crypto_generichash_BYTES);
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, sizeof digest);
  for (const auto part : {first, second}) {
    crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(part.data()), part.size());
  }
  crypto_generichash_final(&state, reinterpret_cast<unsigned char*>(digest.data()), sizeof digest);
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
