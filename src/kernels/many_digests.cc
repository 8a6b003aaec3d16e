#include "kernels/many_digests.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/kernel_dispatch.h"

// BLAKE2b as RFC 7693 has it, with one message in each lane of a vector.
namespace dppl {
namespace {

constexpr size_t kBlock = 128, kWords = kBlock / sizeof(uint64_t);
constexpr size_t kRounds = 12;

constexpr uint64_t kStart[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                                0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

constexpr uint8_t kOrder[10][kWords] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

// Words of the same place in all messages lie side by side.
using Block = uint64_t[kWords][kDigestLanes];
using State = uint64_t[8][kDigestLanes];

template <typename Lanes>
DPPL_INLINE void rotate(Lanes& value, int bits) {
  value = value >> bits | value << (64 - bits);
}

template <typename Lanes>
DPPL_INLINE void mix(Lanes& a, Lanes& b, Lanes& c, Lanes& d, const Lanes& x, const Lanes& y) {
  a += b + x;
  d ^= a;
  rotate<Lanes>(d, 32);
  c += d;
  b ^= c;
  rotate<Lanes>(b, 24);
  a += b + y;
  d ^= a;
  rotate<Lanes>(d, 16);
  c += d;
  b ^= c;
  rotate<Lanes>(b, 63);
}

// Vectors as both compilers know them; handed over by reference, since how they are returned depends on the processor.
typedef uint64_t FourLanes __attribute__((vector_size(32)));
typedef uint64_t EightLanes __attribute__((vector_size(64)));

template <typename Lanes>
DPPL_INLINE void load(const uint64_t* from, Lanes& value) {
  std::memcpy(&value, from, sizeof value);
}

// One block of every message. `before` is how many bytes there are with this block.
template <typename Lanes>
DPPL_INLINE void compress_body(State& state, const Block& block, uint64_t before, bool last) {
  for (size_t lane = 0; lane < kDigestLanes; lane += sizeof(Lanes) / sizeof(uint64_t)) {
    Lanes m[kWords], v[16];
    for (size_t i = 0; i < kWords; ++i) load(&block[i][lane], m[i]);
    for (size_t i = 0; i < 8; ++i) {
      load(&state[i][lane], v[i]);
      v[i + 8] = Lanes{} + kStart[i];
    }
    v[12] ^= before;
    if (last) v[14] = ~v[14];
#pragma GCC unroll 12
    for (size_t round = 0; round < kRounds; ++round) {
      const uint8_t(&order)[kWords] = kOrder[round % 10];
#pragma GCC unroll 4
      for (size_t i = 0; i < 4; ++i) {
        mix<Lanes>(v[i], v[4 + i], v[8 + i], v[12 + i], m[order[2 * i]], m[order[2 * i + 1]]);
      }
#pragma GCC unroll 4
      for (size_t i = 0; i < 4; ++i) {
        mix<Lanes>(v[i], v[4 + (i + 1) % 4], v[8 + (i + 2) % 4], v[12 + (i + 3) % 4], m[order[8 + 2 * i]],
                   m[order[9 + 2 * i]]);
      }
    }
    for (size_t i = 0; i < 8; ++i) {
      Lanes mixed;
      load(&state[i][lane], mixed);
      mixed ^= v[i] ^ v[i + 8];
      std::memcpy(&state[i][lane], &mixed, sizeof mixed);
    }
  }
}

#if defined(__x86_64__)
[[gnu::target("avx512f,avx512bw")]] void compress_avx512(State& state, const Block& block, uint64_t before, bool last) {
  compress_body<EightLanes>(state, block, before, last);
}
[[gnu::target("avx2")]] void compress_avx2(State& state, const Block& block, uint64_t before, bool last) {
  compress_body<FourLanes>(state, block, before, last);
}
#endif

// Walks over the pieces of a message.
class Cursor {
 public:
  explicit Cursor(const MessagePieces& message) : pieces_(message.pieces) {}

  // The next block into a lane; zeros behind the end.
  void take(Block& block, size_t lane) {
    std::byte buffer[kBlock];
    const std::byte* from = buffer;
    while (at_ + 1 < pieces_.size() && pieces_[at_].empty()) ++at_;
    if (pieces_[at_].size() >= kBlock) {
      from = pieces_[at_].data();
      pieces_[at_] = pieces_[at_].subspan(kBlock);
    } else {
      std::memset(buffer, 0, sizeof buffer);
      for (size_t filled = 0; filled < kBlock && at_ < pieces_.size();) {
        const auto part = pieces_[at_].first(std::min(kBlock - filled, pieces_[at_].size()));
        if (!part.empty()) std::memcpy(buffer + filled, part.data(), part.size());
        filled += part.size();
        pieces_[at_] = pieces_[at_].subspan(part.size());
        if (pieces_[at_].empty()) {
          if (at_ + 1 == pieces_.size()) break;
          ++at_;
        }
      }
    }
    for (size_t i = 0; i < kWords; ++i) std::memcpy(&block[i][lane], from + i * sizeof(uint64_t), sizeof(uint64_t));
  }

 private:
  std::array<std::span<const std::byte>, 5> pieces_;
  size_t at_ = 0;
};

template <typename Compress>
void digest_lanes(std::span<const MessagePieces> messages, std::span<Digest> digests, Compress compress) {
  alignas(64) State state;
  alignas(64) Block block{};
  for (size_t i = 0; i < 8; ++i) std::fill_n(state[i], kDigestLanes, kStart[i]);
  // The parameters: one node, no key, 32 bytes of result.
  for (uint64_t& word : state[0]) word ^= 0x01010000 ^ sizeof(Digest);
  std::vector<Cursor> cursors(messages.begin(), messages.end());
  const size_t size = messages.front().size(), blocks = std::max<size_t>((size + kBlock - 1) / kBlock, 1);
  for (size_t b = 0; b < blocks; ++b) {
    for (size_t lane = 0; lane < cursors.size(); ++lane) cursors[lane].take(block, lane);
    compress(state, block, std::min((b + 1) * kBlock, size), b + 1 == blocks);
  }
  for (size_t lane = 0; lane < messages.size(); ++lane) {
    for (size_t i = 0; i < sizeof(Digest) / sizeof(uint64_t); ++i) {
      std::memcpy(digests[lane].data() + i * sizeof(uint64_t), &state[i][lane], sizeof(uint64_t));
    }
  }
}

Digest digest_alone(const MessagePieces& message) {
  DigestStream stream;
  for (const auto& piece : message.pieces) stream.add(piece);
  return stream.finish();
}

}  // namespace

void digest_together(std::span<const MessagePieces> messages, std::span<Digest> digests) {
  const CpuLevel level = cpu_level();
  for (size_t begin = 0; begin < messages.size(); begin += kDigestLanes) {
    const size_t count = std::min(kDigestLanes, messages.size() - begin);
    const auto some = messages.subspan(begin, count);
    const auto out = digests.subspan(begin, count);
#if defined(__x86_64__)
    // A few messages are as quick one after the other.
    if (level != CpuLevel::portable && count > kDigestLanes / 4) {
      digest_lanes(some, out, level == CpuLevel::avx2 ? compress_avx2 : compress_avx512);
      continue;
    }
#endif
    for (size_t i = 0; i < count; ++i) out[i] = digest_alone(some[i]);
  }
}

}  // namespace dppl
