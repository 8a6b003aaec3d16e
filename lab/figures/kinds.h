#pragma once

#include <array>
#include <string>
#include <vector>

#include "dppl/sweep.h"
#include "lab/figures/rows.h"
#include "report/figure.h"

namespace dppl {

struct FigureSource {
  const SweepResults& results;
  SweepRows rows;                    // by ratio
  std::vector<std::string> methods;  // in the order of the plan: one has the same look in every figure
};
using Figures = std::vector<Figure>;

struct FigureKind {
  std::string_view name, needs;
  Figures (*draw)(const FigureSource& source);  // none where the rows cannot fill it
};
extern const std::array<FigureKind, 9> kComparisons;
extern const std::array<FigureKind, 3> kInventories;

void append(Figures& figures, Figures more);

}  // namespace dppl
