#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace dppl::serving {

// Counts the bytes that requests and answers under way hold, so that their sum has a bound.
class MemoryBudget {
 public:
  explicit MemoryBudget(size_t most) : most_(most) {}
  size_t used() const { return used_; }
  size_t most() const { return most_; }

  // What one of them holds; given back at its end.
  class Share {
   public:
    explicit Share(MemoryBudget& budget) : budget_(&budget) {}
    Share(Share&& other) noexcept : budget_(other.budget_), bytes_(std::exchange(other.bytes_, 0)) {}
    Share& operator=(Share&&) = delete;
    ~Share() { budget_->used_ -= bytes_; }

    // False, and nothing changes, where that is more than is left.
    [[nodiscard]] bool grow_to(size_t bytes) {
      if (bytes <= bytes_) return true;
      const size_t more = bytes - bytes_;
      size_t used = budget_->used_;
      do {
        if (more > budget_->most_ || used > budget_->most_ - more) return false;
      } while (!budget_->used_.compare_exchange_weak(used, used + more));
      bytes_ = bytes;
      return true;
    }

   private:
    MemoryBudget* budget_;
    size_t bytes_ = 0;
  };

 private:
  const size_t most_;
  std::atomic<size_t> used_{0};
};

}  // namespace dppl::serving
