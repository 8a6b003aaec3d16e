#include <cstdlib>
#include <string>

#include "dppl/error.h"
#include "export/onnx_file.h"

// Any file is refused with InvalidInput or has an outline; without one of its inputs it has the same one but for that.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const auto outline = dppl::onnx::Outline::read(bytes, "fuzz.onnx");
    if (outline.opset < 7) std::abort();
    if (outline.inputs.empty()) return 0;
    const std::string name = outline.inputs[0].name;
    std::string rest;
    dppl::onnx::without_input(bytes, name, "fuzz.onnx", [&](std::string_view part) { rest += part; });
    const auto left = dppl::onnx::Outline::read(rest, "rest.onnx");
    if (left.opset != outline.opset || left.outputs.size() != outline.outputs.size()) std::abort();
    if (left.weight_files != outline.weight_files) std::abort();
    for (const auto& input : left.inputs) {
      if (input.name == name) std::abort();
    }
  } catch (const dppl::InvalidInput&) {
  }
  return 0;
}
