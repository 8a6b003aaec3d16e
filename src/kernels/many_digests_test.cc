#include "kernels/many_digests.h"

#include <gtest/gtest.h>

#include "dppl/random.h"
#include "kernels/cpu_testing.h"

namespace dppl {
namespace {

std::vector<std::byte> some_bytes(size_t count, uint64_t seed) {
  SeededRandom random(seed);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next64());
  return bytes;
}

// Cut at places that depend on the seed; some pieces are empty.
MessagePieces in_pieces(std::span<const std::byte> bytes, uint64_t seed) {
  SeededRandom random(seed);
  MessagePieces message;
  for (size_t i = 0; i + 1 < message.pieces.size(); ++i) {
    const size_t count = random.next64() % 3 == 0 ? 0 : random.next64() % (bytes.size() + 1);
    message.pieces[i] = bytes.first(count);
    bytes = bytes.subspan(count);
  }
  message.pieces.back() = bytes;
  return message;
}

TEST(ManyDigests, AreThoseOfEachMessageAlone) {
  on_every_level([](CpuLevel level) {
    for (size_t size = 0; size < 700; size += size < 300 ? 1 : 37) {
      for (const size_t count : {1u, 3u, 8u, 19u}) {
        std::vector<std::vector<std::byte>> messages;
        std::vector<MessagePieces> pieces;
        for (size_t i = 0; i < count; ++i) messages.push_back(some_bytes(size, 1000 * size + i));
        for (size_t i = 0; i < count; ++i) pieces.push_back(in_pieces(messages[i], i + size));
        std::vector<Digest> digests(count);
        digest_together(pieces, digests);
        for (size_t i = 0; i < count; ++i) {
          ASSERT_EQ(to_hex(digests[i]), to_hex(digest_of(messages[i]))) << to_string(level) << " " << size << " " << i;
        }
      }
    }
  });
}

}  // namespace
}  // namespace dppl
