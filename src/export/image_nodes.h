#pragma once

#include <optional>

#include "export/onnx_graph.h"
#include "images/resize.h"

namespace dppl::onnx {

// How images become what an encoder sees.
struct Resizing {
  std::optional<PixelSize> resized = {};  // both sides
  size_t shorter = 0;                     // or the shorter one, in proportion
  PixelSize crop = {};                    // the middle of that
  Interpolation interpolation = Interpolation::bilinear;
};

// Images (uint8, N × height × width × channels, 1 or 3 of these) of any size become N × 3 × crop.height × crop.width
// values of 0 … 255 (float32): those that src/images/resize.h makes. Needs kResizingOpset.
Value add_resizing(Graph& graph, const Value& images, const Resizing& how);
// The same for images that are of the right size and have three channels.
Value add_planes(Graph& graph, const Value& images);

}  // namespace dppl::onnx
