#pragma once

#include <sodium.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace dppl {

// BLAKE2b-256.
using Digest = std::array<std::byte, 32>;
Digest digest_of(std::span<const std::byte> bytes);
Digest digest_of(std::string_view text);
// Of two spans, one after the other.
Digest digest_of(std::span<const std::byte> first, std::span<const std::byte> second);
// Of any number of them.
class DigestStream {
 public:
  DigestStream();
  void add(std::span<const std::byte> bytes);
  Digest finish();  // once

 private:
  crypto_generichash_state state_;
};
std::string to_hex(const Digest& digest);
Digest from_hex(const std::string& hex);  // 64 digits

}  // namespace dppl
