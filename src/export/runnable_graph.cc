#include "export/runnable_graph.h"

#include "encoders/gradients.h"
#include "export/encoder_export.h"

namespace dppl::onnx {

RunnableGraph runnable_graph(const PublishedModel& published, const OnnxExportOptions& options) {
  if (options.encoder.ends_with(".onnx")) return graph_with_encoder(published, options);
  check_options(options);
  if (options.encoder.empty()) return {.bytes = onnx_classifier(published), .input = "embedding"};
  constexpr PixelSize seen{gradients::kSide, gradients::kSide};
  return {.bytes = onnx_image_classifier(published, options.encoder),
          .input = "image",
          .resizing = Resizing{.resized = seen, .crop = seen}};
}

}  // namespace dppl::onnx
