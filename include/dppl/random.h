#pragma once

#include <cstdint>
#include <memory>

namespace dppl {

namespace detail {

// The words that a stream has ready; the stream itself is not public.
struct ReadyWords {
  const uint64_t* next = nullptr;
  const uint64_t* end = nullptr;
};

}  // namespace detail

// Where every draw of randomness comes from. Two kinds, of different types: SecureRandom, the only one whose releases
// are private, and SeededRandom, for tests and experiments, whose releases are marked "not private".
class Random {
 public:
  Random(const Random&) = delete;
  Random& operator=(const Random&) = delete;
  Random(Random&&) noexcept = default;
  Random& operator=(Random&&) noexcept = default;

  // 64 uniform bits.
  uint64_t next64() {
    detail::ReadyWords& words = seeded_ ? *seeded_ : secure_words();
    if (words.next == words.end) refill(words);
    return *words.next++;
  }

  // True for SecureRandom alone.
  bool is_private() const { return seeded_ == nullptr; }

  // An independent source for part `index` of the work, the same whichever thread runs it. For a seeded source it is a
  // function of (seed, index) alone; for a secure one it is just another secure source.
  Random stream(uint64_t index) const;

 protected:
  Random() = default;
  explicit Random(std::shared_ptr<detail::ReadyWords> seeded) : seeded_(std::move(seeded)) {}

 private:
  static detail::ReadyWords& secure_words();  // this thread's
  void refill(detail::ReadyWords& words) const;

  std::shared_ptr<detail::ReadyWords> seeded_;  // null: this thread's secure words
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
