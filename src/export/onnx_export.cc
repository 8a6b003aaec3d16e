#include "dppl/export.h"
#include "export/classifier_nodes.h"
#include "export/metadata.h"

namespace dppl {
namespace {

// Of graphs that are ours from end to end. Everything that runs models in 2020 or later knows it, ONNX 1.12's checker
// too.
constexpr int64_t kOpset = 13;

}  // namespace

std::string onnx_classifier(const PublishedModel& published) {
  const onnx::Extent batch = "N";
  onnx::Graph graph(kOpset);
  graph.input({"embedding", onnx::Type::float32, {batch, static_cast<int64_t>(published.model.input_dim())}});
  onnx::add_classifier(graph, published.model, "embedding", batch, {});
  return onnx::whole_model(graph, published.name, onnx::metadata_of(published));
}

}  // namespace dppl
