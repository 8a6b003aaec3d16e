#include <fmt/format.h>

#include "dppl/error.h"
#include "encoders/builtin.h"
#include "encoders/constants.h"
#include "encoders/onnx_encoder.h"

namespace dppl {
namespace {

bool is_model(const std::string& name_or_path) { return name_or_path.ends_with(".onnx"); }

}  // namespace

std::unique_ptr<Encoder> open_encoder(const std::string& name_or_path, const EncoderOptions& options) {
  if (is_model(name_or_path)) return std::make_unique<OnnxEncoder>(name_or_path, options);
  std::unique_ptr<Encoder> encoder = builtin_encoder(name_or_path, options.threads);
  if (options.size || options.onnx != OnnxOptions{}) {
    throw InvalidInput(
        fmt::format("{}: has its own preprocessing; leave out the size and the options of ONNX models", name_or_path));
  }
  return encoder;
}

size_t usual_batch(const std::string& name_or_path) { return is_model(name_or_path) ? kModelBatch : kBuiltinBatch; }

}  // namespace dppl
