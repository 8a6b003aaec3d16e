#pragma once

#include "dppl/export.h"
#include "export/onnx_graph.h"

namespace dppl::onnx {

// What is told of a graph's input.
OnnxPort port_of(const Tensor& tensor);

// What goes with a model wherever it goes: classes, guarantee, digest, ledger entry.
Metadata metadata_of(const PublishedModel& published);

}  // namespace dppl::onnx
