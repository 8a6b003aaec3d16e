#include <fmt/format.h>

#include "dppl/error.h"
#include "encoders/onnx_encoder.h"

namespace dppl {

std::unique_ptr<Encoder> open_encoder(const std::string& name_or_path, const EncoderOptions& options) {
  if (name_or_path.ends_with(".onnx")) return std::make_unique<OnnxEncoder>(name_or_path, options);
  throw InvalidInput(fmt::format("--encoder: '{}' is not a file that ends in .onnx", name_or_path));
}

}  // namespace dppl
