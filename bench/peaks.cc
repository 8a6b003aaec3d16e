#include "peaks.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "kernels/cpu.h"
#include "seconds.h"

namespace dppl::bench {
namespace {

constexpr long kRounds = 10'000'000;

double seconds_on(unsigned threads, const std::function<void()>& work) {
  double best = 1e9;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> all;
    for (unsigned t = 0; t < threads; ++t) all.emplace_back(work);
    for (std::thread& one : all) one.join();
    best = std::min(best, seconds_since(begin));
  }
  return best;
}

#if defined(__x86_64__)
#define SUMS "ymm0", "ymm1", "ymm2", "ymm3", "ymm4", "ymm5", "ymm6", "ymm7"
#define EACH8(line) line(0) line(1) line(2) line(3) line(4) line(5) line(6) line(7)

// Eight sums, each with its own chain; products in registers 8 to 11 as the kernel makes them.
#define BYTE4(a, b, c, d)                                                                                        \
  "vpmaddubsw %%ymm15,%%ymm14,%%ymm8\n vpmaddubsw %%ymm15,%%ymm14,%%ymm9\n vpmaddubsw %%ymm15,%%ymm14,%%ymm10\n" \
  "vpmaddubsw %%ymm15,%%ymm14,%%ymm11\n vpmaddwd %%ymm13,%%ymm8,%%ymm8\n vpmaddwd %%ymm13,%%ymm9,%%ymm9\n"       \
  "vpmaddwd %%ymm13,%%ymm10,%%ymm10\n vpmaddwd %%ymm13,%%ymm11,%%ymm11\n vpaddd %%ymm8,%%ymm" #a ",%%ymm" #a     \
  "\n vpaddd %%ymm9,%%ymm" #b ",%%ymm" #b "\n vpaddd %%ymm10,%%ymm" #c ",%%ymm" #c "\n vpaddd %%ymm11,%%ymm" #d  \
  ",%%ymm" #d "\n"
#define WORD4(a, b, c, d)                                                                                         \
  "vpmaddwd %%ymm15,%%ymm14,%%ymm8\n vpmaddwd %%ymm15,%%ymm14,%%ymm9\n vpmaddwd %%ymm15,%%ymm14,%%ymm10\n"        \
  "vpmaddwd %%ymm15,%%ymm14,%%ymm11\n vpaddd %%ymm8,%%ymm" #a ",%%ymm" #a "\n vpaddd %%ymm9,%%ymm" #b ",%%ymm" #b \
  "\n vpaddd %%ymm10,%%ymm" #c ",%%ymm" #c "\n vpaddd %%ymm11,%%ymm" #d ",%%ymm" #d "\n"
#define FLOAT1(a) "vfmadd231ps %%ymm15,%%ymm14,%%ymm" #a "\n"
#define BYTE512(a) "vpdpbusd %%zmm15,%%zmm14,%%zmm" #a "\n"
#define WORD512(a) "vpdpwssd %%zmm15,%%zmm14,%%zmm" #a "\n"
#define FLOAT512(a) "vfmadd231ps %%zmm15,%%zmm14,%%zmm" #a "\n"

void bytes_avx2() {
  for (long i = 0; i < kRounds; ++i)
    asm volatile(BYTE4(0, 1, 2, 3) BYTE4(4, 5, 6, 7)::: SUMS, "ymm8", "ymm9", "ymm10", "ymm11");
}
void words_avx2() {
  for (long i = 0; i < kRounds; ++i)
    asm volatile(WORD4(0, 1, 2, 3) WORD4(4, 5, 6, 7)::: SUMS, "ymm8", "ymm9", "ymm10", "ymm11");
}
void floats_avx2() {
  for (long i = 0; i < kRounds; ++i) asm volatile(EACH8(FLOAT1) FLOAT1(8) FLOAT1(9)::: SUMS, "ymm8", "ymm9");
}
void bytes_avx512() {
  for (long i = 0; i < kRounds; ++i) asm volatile(EACH8(BYTE512) BYTE512(8) BYTE512(9)::: SUMS, "ymm8", "ymm9");
}
void words_avx512() {
  for (long i = 0; i < kRounds; ++i) asm volatile(EACH8(WORD512) WORD512(8) WORD512(9)::: SUMS, "ymm8", "ymm9");
}
void floats_avx512() {
  for (long i = 0; i < kRounds; ++i) asm volatile(EACH8(FLOAT512) FLOAT512(8) FLOAT512(9)::: SUMS, "ymm8", "ymm9");
}
#endif

double read_rate(unsigned threads) {
  const std::vector<uint64_t> data(size_t{1} << 26, 1);  // 512 MB
  std::vector<uint64_t> sums(threads * 8);
  std::atomic<unsigned> next{0};
  const double seconds = seconds_on(threads, [&] {
    const unsigned t = next++ % threads;
    const size_t share = data.size() / threads;
    uint64_t sum[8] = {};
    for (size_t i = t * share; i + 8 <= (t + 1) * share; i += 8) {
      for (size_t k = 0; k < 8; ++k) sum[k] += data[i + k];
    }
    for (const uint64_t one : sum) sums[t * 8] += one;
  });
  return static_cast<double>(data.size()) * 8 / seconds / 1e9;
}

}  // namespace

Peaks measure_peaks(unsigned threads) {
  Peaks peaks{0, 0, 0, read_rate(threads)};
#if defined(__x86_64__)
  const auto rate = [&](void (*loop)(), double a_round) {
    return threads * static_cast<double>(kRounds) * a_round / seconds_on(threads, loop) / 1e9;
  };
  if (cpu_level() == CpuLevel::avx512_vnni) {
    peaks.bytes = rate(bytes_avx512, 640);
    peaks.words = rate(words_avx512, 320);
    peaks.floats = rate(floats_avx512, 160);
  } else if (cpu_level() == CpuLevel::avx2) {
    peaks.bytes = rate(bytes_avx2, 256);
    peaks.words = rate(words_avx2, 128);
    peaks.floats = rate(floats_avx2, 80);
  }
#endif
  return peaks;
}

}  // namespace dppl::bench
