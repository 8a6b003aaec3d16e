#pragma once

#include "dppl/sweep.h"

namespace dppl::testing {

// Made-up results that fill every figure: methods × budgets × ratios × seeds, with variants, a failure and a map.
SweepResults sample_sweep();

}  // namespace dppl::testing
