#pragma once

namespace dppl {

// Which instructions the kernels use. All levels give the same bits; the higher ones are only faster.
enum class CpuLevel { portable, avx2, avx512_vnni };

// The highest that this machine has.
CpuLevel cpu_level();
const char* to_string(CpuLevel level);
}  // namespace dppl
