#pragma once

#include <cstdint>
#include <vector>

#include "dppl/privacy.h"

namespace dppl {

// An exact integer sum over records and how far one record can move it. Private: noise is added by the mechanism that
// takes both.
struct BoundedSum {
  std::vector<int64_t> values;
  NormBound bound;
};

}  // namespace dppl
