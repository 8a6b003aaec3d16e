#include "export/classifier_nodes.h"

#include <limits>
#include <numeric>

#include "model/class_centers.h"

namespace dppl::onnx {
namespace {

int64_t signed_size(size_t size) { return static_cast<int64_t>(size); }

// Rows of length 1; zeros stay zeros. Squares of very long or very short rows would leave the range of float32, so that
// rows are first divided by their largest value.
Value unit_rows(Graph& graph, const Value& rows, const std::string& name) {
  const Value tiny = graph.constant(name + "_tiny", {}, std::vector<float>{std::numeric_limits<float>::min()});
  const auto divide = [&](const Value& by, const Value& of, const std::string& what) {
    return graph.node("Div", {of, graph.node("Add", {by, tiny}, what + "_not_zero")}, what + "_quotient");
  };
  const Value sizes = graph.node("Abs", {rows}, name + "_sizes");
  const Value largest = graph.reduce("ReduceMax", sizes, {1}, true, name + "_largest");
  const Value scaled = divide(largest, rows, name + "_by_largest");
  // Not ReduceL2, of which ONNX Runtime's sums lose a digit.
  const Value squares = graph.node("Mul", {scaled, scaled}, name + "_squares");
  const Value total = graph.reduce("ReduceSum", squares, {1}, true, name + "_total");
  const Value length = graph.node("Sqrt", {total}, name + "_length");
  return divide(length, scaled, name + "_by_length");
}

// Averages of windows of neighbouring values.
Value pool(Graph& graph, const PublicTransform& transform, Value rows) {
  const int64_t window = signed_size(transform.spec().window), pooled = signed_size(transform.pooled_dim());
  if (window == 1) return rows;
  if (pooled * window != signed_size(transform.input_dim())) {
    std::vector<int64_t> used(static_cast<size_t>(pooled * window));
    std::iota(used.begin(), used.end(), 0);
    rows = graph.node("Gather", {rows, graph.constant("used", {pooled * window}, used)}, "used_values",
                      {{"axis", int64_t{1}}});
  }
  const Value shape = graph.constant("windows_shape", {3}, std::vector<int64_t>{-1, pooled, window});
  return graph.reduce("ReduceMean", graph.node("Reshape", {rows, shape}, "windows"), {2}, false, "averages");
}

Value transform_rows(Graph& graph, const PublicTransform& transform, const Value& unit) {
  const int64_t pooled = signed_size(transform.pooled_dim());
  Value rows = pool(graph, transform, unit);
  if (const auto mean = transform.mean(); !mean.empty()) {
    const Value center = graph.constant("mean", {pooled}, std::vector<float>(mean.begin(), mean.end()));
    rows = graph.node("Sub", {rows, center}, "centred");
  }
  if (const auto basis = transform.basis(); !basis.empty()) {
    const Value directions = graph.constant("directions", {pooled, signed_size(transform.output_dim())},
                                            std::vector<float>(basis.begin(), basis.end()));
    rows = graph.node("MatMul", {rows, directions}, "projected");
  }
  return rows == unit ? unit : unit_rows(graph, rows, "transformed");
}

// As columns, the way MatMul wants them.
std::vector<float> transposed(const std::vector<float>& rows, size_t columns) {
  const size_t count = rows.size() / columns;
  std::vector<float> result(rows.size());
  for (size_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < columns; ++k) result[k * count + i] = rows[i * columns + k];
  }
  return result;
}

}  // namespace

void add_classifier(Graph& graph, const Model& model, const Value& embedding, const Extent& batch,
                    const ClassifierOutputs& outputs) {
  const int64_t classes = signed_size(model.classes.size()), dim = signed_size(model.output_dim());
  const Value rows = transform_rows(graph, model.transform, unit_rows(graph, embedding, "embedding"));
  const Value centers = graph.constant("classes", {dim, classes}, transposed(class_centers(model), model.output_dim()));
  graph.node_named("MatMul", {rows, centers}, outputs.scores);
  graph.node_named("ArgMax", {outputs.scores}, outputs.label, {{"axis", int64_t{1}}, {"keepdims", int64_t{0}}});
  const Value scale =
      graph.constant("score_scale", {}, std::vector<float>{static_cast<float>(model.used_score_scale())});
  const Value scaled = graph.node("Mul", {outputs.scores, scale}, "scaled_scores");
  graph.node_named("Softmax", {scaled}, outputs.probabilities, {{"axis", int64_t{1}}});
  graph.output({outputs.label, Type::int64, {batch}});
  graph.output({outputs.scores, Type::float32, {batch, classes}});
  graph.output({outputs.probabilities, Type::float32, {batch, classes}});
}

}  // namespace dppl::onnx
