#pragma once

#include <functional>

#include "lab/baselines/noise.h"
#include "lab/baselines/rows.h"

namespace dppl {

// Σ of rows of centre.size() values, each moved by −centre and cut to the length `clip`.
std::vector<double> clipped_sum(std::span<const float> rows, std::span<const double> centre, double clip);

std::vector<double> mean_row(std::span<const float> rows, size_t dim);

double distance(std::span<const double> a, std::span<const double> b);

// Runs work(c, stream, prototype) for every class with a random source of its own. A classifier by cosine.
LinearClassifier prototypes_by_class(
    const BaselineInput& input, SeededRandom& random,
    const std::function<void(size_t c, Random& stream, std::span<double> prototype)>& work);

}  // namespace dppl
