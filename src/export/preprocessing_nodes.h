#pragma once

#include "encoders/onnx_encoder.h"
#include "export/image_nodes.h"

namespace dppl::onnx {

// The part of a complete preprocessing that is about sizes.
Resizing resizing_of(const Preprocessing& how);

// Images as bytes (`image`) become what an encoder takes (`result`), as dppl embed prepares them: resized and cut where
// the operators allow, else they must be of the right size, and normalised. Returns the
// input, which is part of the graph then.
Tensor add_preprocessing(Graph& graph, const Preprocessing& how, const ImageInput& input, const Value& image,
                         const Value& result);

}  // namespace dppl::onnx
