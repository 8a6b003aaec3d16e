#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "encoders/onnx_session.h"

namespace dppl::onnx {

// What must be known of a model in ONNX's format to put nodes before and behind it. Everything else stays the bytes
// that it is: of whatever version, and with weights inside or beside it.
struct Outline {
  int64_t opset = 0;
  std::vector<OnnxTensor> inputs, outputs;  // without weights; the shape is empty where the file does not tell it
  std::vector<std::string> weight_files;    // named as in the model, relative to its folder; each once
  std::string preprocessor_config;          // from its metadata; empty: none

  // `bytes` are a ModelProto. Throws InvalidInput, beginning with `name`, for what is not, and for operators before 7.
  static Outline read(std::string_view bytes, std::string_view name);
};

// Whether a name occurs in a model anywhere, also inside of loops and branches..
bool mentions(std::string_view bytes, std::string_view name);

// A model without one of its graph's inputs, piece after piece: a graph is given in as many parts as are left of it.
void without_input(std::string_view bytes, std::string_view input, std::string_view name,
                   const std::function<void(std::string_view)>& take);

}  // namespace dppl::onnx
