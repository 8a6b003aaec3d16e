#include "kernels/cpu.h"

#include <atomic>

#include "kernels/cpu_testing.h"

namespace dppl {
namespace {

CpuLevel detect() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) return CpuLevel::portable;
  const bool vnni =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni");
  return vnni ? CpuLevel::avx512_vnni : CpuLevel::avx2;
#else
  return CpuLevel::portable;
#endif
}

std::atomic<CpuLevel>& current() {
  static std::atomic<CpuLevel> level{detect()};
  return level;
}

}  // namespace

CpuLevel cpu_level() { return current().load(std::memory_order_relaxed); }
void force_cpu_level(CpuLevel level) { current().store(level); }
void unforce_cpu_level() { current().store(detect()); }

const char* to_string(CpuLevel level) {
  return level == CpuLevel::portable ? "portable" : level == CpuLevel::avx2 ? "AVX2" : "AVX-512 VNNI";
}

}  // namespace dppl
