#pragma once

// What this machine can do at most: loops on registers alone, and one that only reads.
namespace dppl::bench {

struct Peaks {
  double bytes, words, floats;  // billion multiply-adds a second: 8-bit, 16-bit, float32
  double read;                  // GB a second from memory
};

Peaks measure_peaks(unsigned threads);

}  // namespace dppl::bench
