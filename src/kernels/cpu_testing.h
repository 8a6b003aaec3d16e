#pragma once

#include "kernels/cpu.h"

// For tests, fuzzers and benchmarks alone: all levels must agree.
namespace dppl {

// What cpu_level() says from now on; and again what the machine has.
void force_cpu_level(CpuLevel level);
void unforce_cpu_level();

// Runs work(level) on every level that this machine has, the portable one first.
template <typename Work>
void on_every_level(const Work& work) {
  unforce_cpu_level();
  const CpuLevel best = cpu_level();
  for (const CpuLevel level : {CpuLevel::portable, CpuLevel::avx2, CpuLevel::avx512_vnni}) {
    if (level > best) break;
    force_cpu_level(level);
    work(level);
  }
  unforce_cpu_level();
}

}  // namespace dppl
