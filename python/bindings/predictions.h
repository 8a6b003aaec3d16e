#pragma once

#include "dppl/metrics.h"
#include "python/bindings/convert.h"

namespace dppl::python {

// What was predicted for which truth; how certainly, and the labels of the training set, where they are given.
using Predictions = std::tuple<py::array_t<int64_t>, py::array_t<int64_t>, std::optional<py::array_t<float>>,
                               std::optional<py::array_t<int64_t>>>;

Evaluation evaluate(const Predictions& predictions, const ClassSet& classes);

}  // namespace dppl::python
