#pragma once

#include "base/strict_math.h"
#include "kernels/cpu.h"

// For kernels that are one generic body (name_body), which the compiler vectorises: instantiated once for the baseline
// and once for AVX2.
#define DPPL_INLINE [[gnu::always_inline]] inline
#define DPPL_INLINE_LAMBDA __attribute__((always_inline))
#if defined(__x86_64__)
#define DPPL_AVX2 [[gnu::target("avx2")]]
#else
#define DPPL_AVX2
#endif
// result name parameters, by name_body for the processor at hand.
#define DPPL_KERNEL(result, name, parameters, arguments)                                           \
  DPPL_AVX2 static result name##_avx2 parameters { return name##_body<CpuLevel::avx2> arguments; } \
  static result name##_portable parameters { return name##_body<CpuLevel::portable> arguments; }   \
  result name parameters { return cpu_level() >= CpuLevel::avx2 ? name##_avx2 arguments : name##_portable arguments; }
