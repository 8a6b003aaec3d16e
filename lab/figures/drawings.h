#pragma once

#include <vector>

#include "dppl/sweep.h"
#include "report/figure.h"

namespace dppl {

// What the plan asked for, or all that the rows can fill. A figure that was asked for and cannot be drawn says, in
// place of its table, what it needs. Throws InvalidInput for a name that is not a figure's.
std::vector<Figure> sweep_drawings(const SweepResults& results);

}  // namespace dppl
