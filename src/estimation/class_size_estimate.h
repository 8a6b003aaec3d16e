#pragma once

#include <cstdint>
#include <span>

namespace dppl {

// What noisy class sizes say about a data set, in steps so coarse that neighbouring data sets mostly give the same.
struct ClassSizeEstimate {
  uint64_t records = 1;  // in all classes together
  double ratio = 0;      // of the largest class to the smallest: 1, 10 or 100; 0: cannot be distinguished from noise
};
// `variance`: of the noise. Released values only.
ClassSizeEstimate estimate_class_sizes(std::span<const int64_t> noisy, double variance);

}  // namespace dppl
