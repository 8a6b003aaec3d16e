
#include "dppl/export.h"
#include "encoders/builtin.h"
#include "export/classifier_nodes.h"
#include "export/constants.h"
#include "export/encoder_export.h"
#include "export/gradient_nodes.h"
#include "export/metadata.h"

namespace dppl {
namespace {

constexpr const char* kBatch = "N";

onnx::Tensor embedding_input(const Model& model) {
  return {"embedding", onnx::Type::float32, {kBatch, static_cast<int64_t>(model.input_dim())}};
}

onnx::Tensor image_input() { return {"image", onnx::Type::uint8, {kBatch, "height", "width", "channels"}}; }

}  // namespace

std::string onnx_classifier(const PublishedModel& published) {
  const onnx::Tensor input = embedding_input(published.model);
  onnx::Graph graph(onnx::kOpset);
  graph.input(input);
  onnx::add_classifier(graph, published.model, input.name, kBatch, {});
  return onnx::whole_model(graph, published.name, onnx::metadata_of(published));
}

std::string onnx_image_classifier(const PublishedModel& published, const std::string& encoder) {
  const std::unique_ptr<Encoder> built_in = builtin_encoder(encoder, 1);
  onnx::check_dimension(published.model, built_in->dim(), encoder);
  const onnx::Tensor input = image_input();
  onnx::Graph graph(onnx::kOpset);
  graph.input(input);
  onnx::add_classifier(graph, published.model, onnx::add_builtin_encoder(graph, input.name), kBatch, {});
  onnx::Metadata metadata = onnx::metadata_of(published);
  metadata.emplace_back("dppl.preprocessing",
                        onnx::preprocessing_json({"resize"}, {{"encoder", built_in->description()}}));
  return onnx::whole_model(graph, published.name, metadata);
}

OnnxExported export_onnx(const PublishedModel& published, const OnnxExportOptions& options, const std::string& path) {
  if (options.encoder.ends_with(".onnx")) return onnx::export_with_encoder(published, options, path);
  const bool alone = options.encoder.empty();
  onnx::check_options(options);
  const std::string bytes = alone ? onnx_classifier(published) : onnx_image_classifier(published, options.encoder);
  write_export(path, bytes);
  OnnxExported result{.bytes = bytes.size(), .opset = onnx::kOpset};
  result.input = onnx::port_of(alone ? embedding_input(published.model) : image_input());
  const onnx::ClassifierOutputs outputs;
  result.label = outputs.label;
  result.scores = outputs.scores;
  result.probabilities = outputs.probabilities;
  if (!alone) result.preprocessing = "in the graph: " + builtin_encoder(options.encoder, 1)->description();
  return result;
}

}  // namespace dppl
