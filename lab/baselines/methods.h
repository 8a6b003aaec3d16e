#pragma once

#include "dppl/baselines.h"

// One function per baseline, in the file of its name.
namespace dppl {

Baseline dp_sgd();
Baseline global_adapt();
Baseline dp_ls();
Baseline dp_fc();
Baseline dp_newton();
Baseline coinpress_mean();
Baseline naive_mean();
Baseline friendly_core_mean();
Baseline projection_mean();
Baseline projection_public();
Baseline class_mean();
Baseline nearest_neighbour();
Baseline logistic_regression();
Baseline ridge();

}  // namespace dppl
