#include "base/parallel.h"

#include <mpfr.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace dppl {

void parallel_blocks(size_t count, size_t block, unsigned threads,
                     const std::function<void(size_t, size_t, unsigned)>& work) {
  std::atomic<size_t> next{0};
  std::atomic<bool> stop{false};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto run = [&](unsigned thread) {
    try {
      while (!stop) {
        const size_t begin = next.fetch_add(block);
        if (begin >= count) return;
        work(begin, std::min(begin + block, count), thread);
      }
    } catch (...) {
      stop = true;
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  const size_t useful = std::min<size_t>(std::max(threads, 1u), (count + block - 1) / block);
  for (unsigned thread = 1; thread < useful; ++thread) {
    others.emplace_back([&run, thread] {
      run(thread);
      mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);  // MPFR keeps constants for each thread and never frees them itself
    });
  }
  run(0);
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace dppl
