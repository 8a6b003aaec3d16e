#pragma once

#include <boost/beast/core/flat_buffer.hpp>
#include <mutex>
#include <vector>

#include "serving/constants.h"
#include "serving/memory_budget.h"

namespace dppl::serving {

// Memory of bodies that were answered, for the next ones: the system takes its time over pages that are new.
class BufferPool {
 public:
  boost::beast::flat_buffer take() {
    const std::lock_guard lock(mutex_);
    if (buffers_.empty()) return {};
    boost::beast::flat_buffer buffer = std::move(buffers_.back());
    buffers_.pop_back();
    return buffer;
  }
  void give_back(boost::beast::flat_buffer buffer) {
    if (buffer.capacity() < kReadBytes || buffer.capacity() > kPooledBytes) return;
    buffer.clear();
    const std::lock_guard lock(mutex_);
    if (buffers_.size() < kPooledBuffers) buffers_.push_back(std::move(buffer));
  }

 private:
  std::mutex mutex_;
  std::vector<boost::beast::flat_buffer> buffers_;
};

// What holds the bytes of a request that is being answered.
struct HeldBody {
  HeldBody(BufferPool& from, boost::beast::flat_buffer own_bytes, MemoryBudget::Share own_share)
      : pool(from), bytes(std::move(own_bytes)), share(std::move(own_share)) {}
  ~HeldBody() { pool.give_back(std::move(bytes)); }
  HeldBody(const HeldBody&) = delete;
  HeldBody& operator=(const HeldBody&) = delete;

  BufferPool& pool;
  boost::beast::flat_buffer bytes;
  MemoryBudget::Share share;
};

}  // namespace dppl::serving
