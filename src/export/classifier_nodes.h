#pragma once

#include "dppl/model.h"
#include "export/onnx_graph.h"

namespace dppl::onnx {

struct ClassifierOutputs {
  Value label = "label", scores = "scores", probabilities = "probabilities";
};

// From embeddings (float32, N × model.input_dim()) to what `Classifier` says of them. `batch` is N.
void add_classifier(Graph& graph, const Model& model, const Value& embedding, const Extent& batch,
                    const ClassifierOutputs& outputs);

}  // namespace dppl::onnx
