#include "dppl/experiments.h"
#include "python/bindings/bindings.h"
#include "python/bindings/predictions.h"

namespace dppl::python {
namespace {

py::object evaluate_labels(const Predictions& predictions, const py::object& classes, bool confusion) {
  return parse_json(evaluation_json(evaluate(predictions, classes_of(classes)), confusion));
}

py::array_t<int64_t> long_tail(const py::array_t<int64_t>& labels, const py::object& classes, double ratio,
                               uint64_t seed) {
  const std::vector<uint64_t> rows = long_tail_rows(integers_of(labels), classes_of(classes), ratio, seed);
  return array_of(std::vector<int64_t>(rows.begin(), rows.end()), {static_cast<py::ssize_t>(rows.size())});
}

}  // namespace

Evaluation evaluate(const Predictions& predictions, const ClassSet& classes) {
  const auto& [predicted, truth, certainties, training_labels] = predictions;
  std::optional<std::vector<uint64_t>> counts;
  if (training_labels) counts = count_labels(integers_of(*training_labels), classes);
  const std::vector<int64_t> said = integers_of(predicted), right = integers_of(truth);
  Evaluation result = dppl::evaluate(said, right, classes, counts);
  if (certainties) {
    const std::span<const float> values(certainties->data(), static_cast<size_t>(certainties->size()));
    result.confidence = evaluate_confidence(said, right, values);
  }
  return result;
}

void bind_metrics(py::module_& module) {
  module.def("evaluate", evaluate_labels, py::arg("predictions"), py::arg("classes"), py::arg("confusion"));
  module.def("long_tail_rows", long_tail, py::arg("labels"), py::arg("classes"), py::arg("ratio"), py::arg("seed"));
}

}  // namespace dppl::python
