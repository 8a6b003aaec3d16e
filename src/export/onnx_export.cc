#include <fmt/format.h>

#include "dppl/error.h"
#include "dppl/export.h"
#include "encoders/builtin.h"
#include "export/classifier_nodes.h"
#include "export/gradient_nodes.h"
#include "export/metadata.h"

namespace dppl {
namespace {

// Of graphs that are ours from end to end. Everything that runs models in 2020 or later knows it, ONNX 1.12's checker
// too.
constexpr int64_t kOpset = 13;

void check_dimension(const Model& model, size_t dim, std::string_view encoder) {
  if (dim == model.input_dim()) return;
  throw InvalidInput(
      fmt::format("{}: gives {} values per image, but the model takes rows of {}; name the encoder that "
                  "its rows were made with",
                  encoder, dim, model.input_dim()));
}

}  // namespace

std::string onnx_classifier(const PublishedModel& published) {
  const onnx::Extent batch = "N";
  onnx::Graph graph(kOpset);
  graph.input({"embedding", onnx::Type::float32, {batch, static_cast<int64_t>(published.model.input_dim())}});
  onnx::add_classifier(graph, published.model, "embedding", batch, {});
  return onnx::whole_model(graph, published.name, onnx::metadata_of(published));
}

std::string onnx_image_classifier(const PublishedModel& published, const std::string& encoder) {
  check_dimension(published.model, builtin_encoder(encoder, 1)->dim(), encoder);
  const onnx::Extent batch = "N";
  onnx::Graph graph(kOpset);
  graph.input({"image", onnx::Type::uint8, {batch, "height", "width", "channels"}});
  onnx::add_classifier(graph, published.model, onnx::add_builtin_encoder(graph, "image"), batch, {});
  return onnx::whole_model(graph, published.name, onnx::metadata_of(published));
}

}  // namespace dppl
