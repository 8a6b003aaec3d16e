#pragma once

#include <cstddef>
#include <functional>

namespace dppl {

// Runs work(begin, end, thread) for consecutive blocks of 0 … count − 1, handed out in order to `threads` threads (at
// least one). What belongs to a block depends on `block` alone, so a caller that keeps one result a block gets the same
// results from any number of threads. The first exception is rethrown when all threads have stopped.
void parallel_blocks(size_t count, size_t block, unsigned threads,
                     const std::function<void(size_t begin, size_t end, unsigned thread)>& work);

}  // namespace dppl
