#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encoders/ort_library.h"

namespace dppl {

std::string_view to_string(ort::ElementType type);  // "float32"

// An input or output of a model, or the type of what came out of one.
struct OnnxTensor {
  std::string name;
  ort::ElementType type = ort::ElementType::undefined;  // undefined: not a tensor
  std::vector<int64_t> shape;                           // −1: any extent
  std::string describe() const;                         // "float32 pixel_values [?, 3, 224, 224]"
};

// A model in ONNX's format, loaded. Throws InvalidInput, naming the file, for one that ONNX Runtime refuses.
class OnnxSession {
 public:
  OnnxSession(const std::string& path, unsigned threads);

  const std::vector<OnnxTensor>& inputs() const { return inputs_; }
  const std::vector<OnnxTensor>& outputs() const { return outputs_; }
  // An entry of the model's metadata; empty when there is none.
  std::string metadata(const std::string& key) const;

  struct Result {
    std::vector<int64_t> shape;
    std::vector<float> values;
  };
  // Runs the model on its input `input`, whose `values` have this shape, for one of its outputs.
  Result run(const OnnxTensor& input, std::span<const float> values, const std::vector<int64_t>& shape,
             const std::string& output) const;

 private:
  ort::OwnedValue input_value(const OnnxTensor& input, std::span<const float> values, std::span<uint16_t> halves,
                              const std::vector<int64_t>& shape) const;
  std::vector<float> values_of(ort::Value* value, const OnnxTensor& type) const;

  std::string path_;
  ort::OwnedMemoryInfo memory_;
  ort::OwnedSession session_;
  std::vector<OnnxTensor> inputs_, outputs_;
};

}  // namespace dppl
