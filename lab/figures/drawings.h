#pragma once

#include <string>
#include <vector>

#include "dppl/sweep.h"
#include "report/figure.h"

namespace dppl {

// What the plan asked for, or all that the rows can fill. A figure that was asked for and cannot be drawn says in its
// caption what it needs. Throws InvalidInput for a name that is not a figure's.
std::vector<Figure> sweep_drawings(const SweepResults& results);

// One page about the results, with these figures, that needs no other file.
std::string sweep_html(const SweepResults& results, const std::vector<Figure>& figures);

}  // namespace dppl
