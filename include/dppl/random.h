#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace dppl {

namespace detail {

// A ChaCha20 stream with a buffer. Each refill replaces the key by output that is never handed out, so what was drawn
// earlier cannot be recomputed from memory read later.
struct ChaChaState {
  static constexpr int kWords = 512;
  uint64_t buffer[kWords];
  uint8_t key[32];
  uint8_t root[32];   // the first key of a seeded stream, from which its parts are derived
  int next = kWords;  // position in buffer; kWords: empty
  uint64_t fork_generation = 0;
  bool seeded_from_os = false;

  void refill();  // next block of the stream
  void
  refill_from_os();  // the same for the secure stream: takes a fresh OS key first where there is none or after a fork
};

// Counts the forks this process descends from; bumped in the child before fork() returns there.
extern std::atomic<uint64_t> fork_generation;
ChaChaState& secure_state();  // this thread's

}  // namespace detail

// Where every draw of randomness comes from. Two kinds, told apart by type: SecureRandom, the only one whose releases
// are private, and SeededRandom, for tests and experiments, whose releases are marked "not private".
class Random {
 public:
  Random(const Random&) = delete;
  Random& operator=(const Random&) = delete;
  Random(Random&&) noexcept = default;
  Random& operator=(Random&&) noexcept = default;

  // 64 uniform bits.
  uint64_t next64() {
    detail::ChaChaState& state = seeded_ ? *seeded_ : detail::secure_state();
    const bool stale = !seeded_ && state.fork_generation != detail::fork_generation.load(std::memory_order_relaxed);
    if (state.next >= detail::ChaChaState::kWords || stale) seeded_ ? state.refill() : state.refill_from_os();
    return state.buffer[state.next++];
  }

  // True for SecureRandom alone.
  bool is_private() const { return seeded_ == nullptr; }

  // An independent source for part `index` of the work, the same whichever thread runs it. For a seeded source it is a
  // function of (seed, index) alone; for a secure one it is just another secure source.
  Random stream(uint64_t index) const;

 protected:
  Random() = default;
  explicit Random(std::unique_ptr<detail::ChaChaState> seeded) : seeded_(std::move(seeded)) {}

 private:
  std::unique_ptr<detail::ChaChaState> seeded_;  // null: this thread's secure state
};

// ChaCha20 keyed by the operating system. Holds no state of its own (each thread has one), so one object may serve many
// threads; a child process after fork() draws a new key before its first output.
class SecureRandom final : public Random {
 public:
  SecureRandom() = default;
};

// ChaCha20 keyed by a number: repeatable, hence NOT private. One object per thread; use stream() to share work.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(uint64_t seed);
};

}  // namespace dppl
