#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dppl::testing {

// Builds a model in ONNX's format: enough for small image models.
class OnnxModel {
 public:
  using Shape = std::vector<int64_t>;  // −1: any extent
  using Attribute = std::pair<std::string, std::variant<int64_t, float, std::vector<int64_t>>>;
  static constexpr int kFloat = 1, kInt64 = 7, kHalf = 10;

  OnnxModel& input(const std::string& name, const Shape& shape, int type = kFloat);
  OnnxModel& output(const std::string& name, const Shape& shape, int type = kFloat);
  OnnxModel& weights(const std::string& name, const Shape& shape, const std::vector<float>& values);
  OnnxModel& integers(const std::string& name, const std::vector<int64_t>& values);
  // Weights in a file of their own, beside the model.
  OnnxModel& weights_in_file(const std::string& name, const Shape& shape, const std::string& file);
  OnnxModel& node(const std::string& op, const std::vector<std::string>& inputs, const std::string& output,
                  const std::vector<Attribute>& attributes = {});
  OnnxModel& node(const std::string& op, const std::vector<std::string>& inputs,
                  const std::vector<std::string>& outputs, const std::vector<Attribute>& attributes = {});
  OnnxModel& metadata(const std::string& key, const std::string& value);

  // Of a version of ONNX's operators and of its file. Before version 4 of the file, weights are inputs as well.
  std::string bytes(int64_t opset = 17, int64_t ir_version = 8) const;

 private:
  std::string graph_, weight_inputs_, metadata_;
};

// A small convolutional network with a residual block: pixel_values N×3×8×8 → embedding N×5.
struct SmallResNet {
  std::vector<float> stem, block, last, bias;
  SmallResNet();
  // `batch`: −1 for any; `layout`: "NCHW" or "NHWC"; `type`: of the input.
  OnnxModel model(int64_t batch = -1, const std::string& layout = "NCHW", int type = OnnxModel::kFloat) const;
  // The same network, written down once more: channels first, 3×8×8 values.
  std::vector<double> reference(const float* image) const;
};

// Models that mix the images of a batch, N×3×8×8 → N×3: the channels' means plus the largest in the batch, and the
// means of pixels that are quantised over the range of the whole batch.
OnnxModel largest_of_batch(int64_t batch = -1);
OnnxModel quantised_by_batch(int64_t batch = -1);

// A small vision transformer: pixel_values N×3×8×8 → last_hidden_state N×5×6; the class token is the first.
struct SmallViT {
  std::vector<float> patch, token, position, query, key, value, out, scale, shift;
  SmallViT();
  OnnxModel model() const;
  std::vector<double> reference(const float* image) const;  // 5×6
};

}  // namespace dppl::testing
