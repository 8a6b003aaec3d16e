#include "similarity/cpu.h"

#include <atomic>

namespace dppl {
namespace {

CpuLevel detect() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return CpuLevel::avx2;
#endif
  return CpuLevel::portable;
}

std::atomic<CpuLevel>& current() {
  static std::atomic<CpuLevel> level{detect()};
  return level;
}

}  // namespace

CpuLevel cpu_level() { return current().load(std::memory_order_relaxed); }
void force_cpu_level(CpuLevel level) { current().store(level); }
void unforce_cpu_level() { current().store(detect()); }

}  // namespace dppl
