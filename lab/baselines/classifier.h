#pragma once

#include "dppl/baselines.h"

namespace dppl {

LinearClassifier linear_classifier(size_t dim, std::span<const double> weights);
// By cosine: prototypes are scaled to length 1 first. A prototype of zeros has cosine 0.
LinearClassifier nearest_prototype(size_t dim, std::vector<double> prototypes);

}  // namespace dppl
