#pragma once

#include "export/onnx_graph.h"

namespace dppl::onnx {

// The built-in encoder: from images (uint8, N × height × width × channels) to N × builtin::kDim values, those that
// src/encoders/builtin.cc makes up to the last digits. Needs kResizingOpset.
Value add_builtin_encoder(Graph& graph, const Value& images);

}  // namespace dppl::onnx
