#pragma once

#include <array>
#include <span>

#include "base/digest.h"

namespace dppl {

inline constexpr size_t kDigestLanes = 8;

// Bytes in pieces that follow one another.
struct MessagePieces {
  std::array<std::span<const std::byte>, 5> pieces;

  size_t size() const {
    size_t total = 0;
    for (const auto& piece : pieces) total += piece.size();
    return total;
  }
};

// The digests (base/digest.h) of messages that are all of one size. BLAKE2b has no parallelism of its own; several
// messages side by side are digested several times as fast as one after the other.
void digest_together(std::span<const MessagePieces> messages, std::span<Digest> digests);

}  // namespace dppl
