#pragma once

#include "dppl/export.h"
#include "export/runnable_graph.h"

namespace dppl::onnx {

// export_onnx() for an encoder in ONNX's format.
OnnxExported export_with_encoder(const PublishedModel& published, const OnnxExportOptions& options,
                                 const std::string& path);

// runnable_graph() for one.
RunnableGraph graph_with_encoder(const PublishedModel& published, const OnnxExportOptions& options);

// Throws InvalidInput: options for encoders in ONNX's format, but it is none.
void check_options(const OnnxExportOptions& options);
// Throws InvalidInput: the encoder's vectors have another dimension than the model's rows.
void check_dimension(const Model& model, size_t dim, std::string_view encoder);

}  // namespace dppl::onnx
