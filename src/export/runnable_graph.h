#pragma once

#include "dppl/export.h"
#include "export/classifier_nodes.h"
#include "export/image_nodes.h"

namespace dppl::onnx {

// An export in memory, and what whoever runs it has to know.
struct RunnableGraph {
  std::string bytes = {};
  std::string input = {};  // the name of the only one
  ClassifierOutputs outputs = {};
  int64_t batch = 1;                      // records that it takes at a time
  std::optional<Resizing> resizing = {};  // of images (uint8); empty: it takes embeddings (float32)
  bool resizes = true;                    // it does that itself, to the same bits as src/images/resize.h
};

// Throws InvalidInput as export_onnx() does, and where the encoder's weights are in files of their own.
RunnableGraph runnable_graph(const PublishedModel& published, const OnnxExportOptions& options);

}  // namespace dppl::onnx
