#pragma once

namespace dppl {

// Which instructions the kernels use. All levels give the same bits; the higher ones are only faster.
enum class CpuLevel { portable, avx2, avx512_vnni };

// The highest that this machine has, or what force_cpu_level() said.
CpuLevel cpu_level();
const char* to_string(CpuLevel level);
// For tests and benchmarks: all levels must agree.
void force_cpu_level(CpuLevel level);
void unforce_cpu_level();

}  // namespace dppl
