#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "dppl/error.h"
#include "encoders/onnx_encoder.h"

namespace dppl {
namespace {

bool is_float(const OnnxTensor& tensor) {
  return tensor.type == ort::ElementType::float32 || tensor.type == ort::ElementType::float16;
}

std::string list(const std::vector<OnnxTensor>& tensors) {
  std::string result;
  for (const OnnxTensor& tensor : tensors) result += (result.empty() ? "" : "; ") + tensor.describe();
  return result;
}

bool names_one_of(const OnnxTensor& tensor, std::initializer_list<std::string_view> words) {
  std::string name = tensor.name;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return name.find(word) != name.npos; });
}

// Smaller is better; 9: cannot be an embedding.
int rank_of(const OnnxTensor& tensor, bool tokens_wanted) {
  const size_t dimensions = tensor.shape.size();
  if (!is_float(tensor) || dimensions == 1 || dimensions > 4) return 9;
  if (tokens_wanted) return dimensions == 3 ? (names_one_of(tensor, {"last"}) ? 0 : 1) : 9;
  if (dimensions == 2 && names_one_of(tensor, {"logit", "prob", "softmax", "score", "class"})) return 6;
  if (dimensions == 2) return names_one_of(tensor, {"embed", "pool", "feature"}) ? 0 : 1;
  if (dimensions == 3) return names_one_of(tensor, {"last"}) ? 2 : 3;
  return dimensions == 4 ? 4 : 5;  // 5: the model does not say
}

[[noreturn]] void refuse_inputs(const std::vector<OnnxTensor>& inputs, std::string_view path) {
  const bool text = std::any_of(inputs.begin(), inputs.end(), [](const OnnxTensor& input) {
    return input.type == ort::ElementType::int64 || input.type == ort::ElementType::int32 ||
           input.type == ort::ElementType::string;
  });
  throw InvalidInput(
      fmt::format("{}: takes {}; {}, N×3×H×W or N×H×W×3", path, inputs.empty() ? "no input" : list(inputs),
                  text ? "that is a model for text or for text and images: export its image encoder alone, "
                         "with one float input"
                       : "an image encoder has one input of float32 or float16"));
}

}  // namespace

const OnnxTensor& choose_output(const std::vector<OnnxTensor>& outputs, const OnnxOptions& options,
                                std::string_view path) {
  if (!options.output.empty()) {
    const auto named = std::find_if(outputs.begin(), outputs.end(),
                                    [&](const OnnxTensor& output) { return output.name == options.output; });
    if (named != outputs.end()) return *named;
    throw InvalidInput(fmt::format("{}: has no output '{}'; it has {}", path, options.output, list(outputs)));
  }
  const bool tokens = !options.pool.empty();
  const auto best = std::min_element(outputs.begin(), outputs.end(), [&](const OnnxTensor& a, const OnnxTensor& b) {
    return rank_of(a, tokens) < rank_of(b, tokens);
  });
  if (best == outputs.end() || rank_of(*best, tokens) == 9) {
    throw InvalidInput(fmt::format("{}: no output can be {}; it has {}", path,
                                   tokens ? "pooled over tokens (three dimensions)" : "an embedding", list(outputs)));
  }
  return *best;
}

ImageInput find_image_input(const std::vector<OnnxTensor>& inputs, std::string_view path) {
  if (inputs.size() != 1 || !is_float(inputs[0]) || inputs[0].shape.size() != 4) refuse_inputs(inputs, path);
  const std::vector<int64_t>& shape = inputs[0].shape;
  ImageInput result{inputs[0], true, std::nullopt, std::nullopt};
  // Models that leave all extents open have channels first.
  result.planar = shape[1] == 3 || (shape[1] < 0 && shape[3] != 3);
  if (!result.planar && shape[3] != 3) refuse_inputs(inputs, path);
  const int64_t height = shape[result.planar ? 2 : 1], width = shape[result.planar ? 3 : 2];
  if (height > 0 && width > 0) result.fixed = PixelSize{static_cast<size_t>(width), static_cast<size_t>(height)};
  if (shape[0] > 0) result.batch = static_cast<size_t>(shape[0]);
  return result;
}

}  // namespace dppl
