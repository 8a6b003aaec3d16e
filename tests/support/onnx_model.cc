#include "support/onnx_model.h"

#include <cmath>

#include "export/protobuf.h"

namespace dppl::testing {
namespace {

using protobuf::Message;

std::string number(unsigned field, int64_t value) { return Message().number(field, value).bytes(); }
std::string bytes_field(unsigned field, const std::string& bytes) { return Message().text(field, bytes).bytes(); }
std::string float_field(unsigned field, float value) { return Message().real(field, value).bytes(); }

template <typename T>
std::string raw_bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string dims(const OnnxModel::Shape& shape) {
  std::string result;
  for (const int64_t extent : shape) result += number(1, extent);
  return result;
}

std::string value_info(const std::string& name, const OnnxModel::Shape& shape, int type) {
  std::string extents;
  for (const int64_t extent : shape) {
    extents += bytes_field(1, extent < 0 ? bytes_field(2, "any" + name) : number(1, extent));
  }
  return bytes_field(1, name) + bytes_field(2, bytes_field(1, number(1, type) + bytes_field(2, extents)));
}

std::string attribute(const OnnxModel::Attribute& attribute) {
  std::string result = bytes_field(1, attribute.first);
  if (const auto* integer = std::get_if<int64_t>(&attribute.second))
    return result + number(3, *integer) + number(20, 2);
  if (const auto* real = std::get_if<float>(&attribute.second)) return result + float_field(2, *real) + number(20, 1);
  for (const int64_t value : std::get<std::vector<int64_t>>(attribute.second)) result += number(8, value);
  return result + number(20, 7);
}

// Weights that are neither tiny nor all alike.
std::vector<float> some(size_t count, unsigned seed) {
  std::vector<float> result(count);
  for (float& value : result) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<float>(static_cast<int>(seed >> 24) - 128) / 256;
  }
  return result;
}

using Attributes = std::vector<OnnxModel::Attribute>;

constexpr size_t kSide = 8, kWidth = 4, kDim = 6, kTokens = 5;

// 3×3, padded with zeros; channels first.
std::vector<double> convolve(const std::vector<double>& in, size_t channels, const std::vector<float>& kernel) {
  std::vector<double> result(kWidth * kSide * kSide);
  for (size_t o = 0; o < kWidth; ++o) {
    for (size_t y = 0; y < kSide; ++y) {
      for (size_t x = 0; x < kSide; ++x) {
        double& sum = result[(o * kSide + y) * kSide + x];
        for (size_t c = 0; c < channels; ++c) {
          for (size_t k = 0; k < 9; ++k) {
            const size_t row = y + k / 3 - 1, column = x + k % 3 - 1;  // beyond the edge: wraps to a large number
            if (row >= kSide || column >= kSide) continue;
            sum += in[(c * kSide + row) * kSide + column] * static_cast<double>(kernel[(o * channels + c) * 9 + k]);
          }
        }
      }
    }
  }
  return result;
}

void rectify(std::vector<double>& values) {
  for (double& value : values) value = std::max(value, 0.0);
}

using Matrix = std::vector<double>;

// rows × inner times inner × columns.
Matrix product(const Matrix& a, const Matrix& b, size_t inner) {
  const size_t rows = a.size() / inner, columns = b.size() / inner;
  Matrix result(rows * columns);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      for (size_t k = 0; k < inner; ++k) result[i * columns + j] += a[i * inner + k] * b[k * columns + j];
    }
  }
  return result;
}

Matrix wide(const std::vector<float>& values) { return {values.begin(), values.end()}; }

Matrix layer_norm(const Matrix& rows, const std::vector<float>& scale, const std::vector<float>& shift) {
  Matrix result(rows.size());
  for (size_t i = 0; i < rows.size(); i += kDim) {
    double mean = 0, square = 0;
    for (size_t d = 0; d < kDim; ++d) mean += rows[i + d] / kDim;
    for (size_t d = 0; d < kDim; ++d) square += (rows[i + d] - mean) * (rows[i + d] - mean) / kDim;
    for (size_t d = 0; d < kDim; ++d) {
      result[i + d] = (rows[i + d] - mean) / std::sqrt(square + 1e-5) * static_cast<double>(scale[d]) +
                      static_cast<double>(shift[d]);
    }
  }
  return result;
}

Matrix attention_weights(const Matrix& query, const Matrix& key) {
  Matrix weights(kTokens * kTokens);
  for (size_t i = 0; i < kTokens; ++i) {
    double total = 0;
    for (size_t j = 0; j < kTokens; ++j) {
      double dot = 0;
      for (size_t d = 0; d < kDim; ++d) dot += query[i * kDim + d] * key[j * kDim + d];
      total += weights[i * kTokens + j] = std::exp(dot / 2);
    }
    for (size_t j = 0; j < kTokens; ++j) weights[i * kTokens + j] /= total;
  }
  return weights;
}

}  // namespace

OnnxModel& OnnxModel::input(const std::string& name, const Shape& shape, int type) {
  graph_ += bytes_field(11, value_info(name, shape, type));
  return *this;
}

OnnxModel& OnnxModel::output(const std::string& name, const Shape& shape, int type) {
  graph_ += bytes_field(12, value_info(name, shape, type));
  return *this;
}

OnnxModel& OnnxModel::weights(const std::string& name, const Shape& shape, const std::vector<float>& values) {
  graph_ += bytes_field(5, dims(shape) + number(2, kFloat) + bytes_field(8, name) + bytes_field(9, raw_bytes(values)));
  weight_inputs_ += bytes_field(11, value_info(name, shape, kFloat));
  return *this;
}

OnnxModel& OnnxModel::integers(const std::string& name, const std::vector<int64_t>& values) {
  const Shape shape{static_cast<int64_t>(values.size())};
  graph_ += bytes_field(5, dims(shape) + number(2, kInt64) + bytes_field(8, name) + bytes_field(9, raw_bytes(values)));
  return *this;
}

OnnxModel& OnnxModel::weights_in_file(const std::string& name, const Shape& shape, const std::string& file) {
  const std::string entry = bytes_field(1, "location") + bytes_field(2, file);
  graph_ +=
      bytes_field(5, dims(shape) + number(2, kFloat) + bytes_field(8, name) + bytes_field(13, entry) + number(14, 1));
  return *this;
}

OnnxModel& OnnxModel::node(const std::string& op, const std::vector<std::string>& inputs, const std::string& output,
                           const std::vector<Attribute>& attributes) {
  return node(op, inputs, std::vector<std::string>{output}, attributes);
}

OnnxModel& OnnxModel::node(const std::string& op, const std::vector<std::string>& inputs,
                           const std::vector<std::string>& outputs, const std::vector<Attribute>& attributes) {
  std::string node;
  for (const std::string& name : inputs) node += bytes_field(1, name);
  for (const std::string& name : outputs) node += bytes_field(2, name);
  node += bytes_field(4, op);
  for (const Attribute& each : attributes) node += bytes_field(5, attribute(each));
  graph_ += bytes_field(1, node);
  return *this;
}

OnnxModel& OnnxModel::metadata(const std::string& key, const std::string& value) {
  metadata_ += bytes_field(14, bytes_field(1, key) + bytes_field(2, value));
  return *this;
}

std::string OnnxModel::bytes(int64_t opset, int64_t ir_version) const {
  const std::string operators = bytes_field(1, "") + number(2, opset);
  const std::string graph = graph_ + (ir_version < 4 ? weight_inputs_ : "") + bytes_field(2, "small");
  return number(1, ir_version) + bytes_field(7, graph) + bytes_field(8, operators) + metadata_;
}

SmallResNet::SmallResNet()
    : stem(some(kWidth * 3 * 9, 1)), block(some(kWidth * kWidth * 9, 2)), last(some(5 * kWidth, 3)), bias(some(5, 4)) {}

OnnxModel SmallResNet::model(int64_t batch, const std::string& layout, int type) const {
  const Attributes same{{"kernel_shape", std::vector<int64_t>{3, 3}}, {"pads", std::vector<int64_t>{1, 1, 1, 1}}};
  OnnxModel model;
  std::string in = "pixel_values";
  const bool planar = layout == "NCHW";
  model.input(in, planar ? OnnxModel::Shape{batch, 3, 8, 8} : OnnxModel::Shape{batch, 8, 8, 3}, type);
  if (!planar)
    model.node("Transpose", {std::exchange(in, "planar")}, "planar", {{"perm", std::vector<int64_t>{0, 3, 1, 2}}});
  if (type != OnnxModel::kFloat) model.node("Cast", {std::exchange(in, "wide")}, "wide", {{"to", int64_t{1}}});
  model.weights("stem", {4, 3, 3, 3}, stem).weights("block", {4, 4, 3, 3}, block);
  model.weights("last", {5, 4}, last).weights("bias", {5}, bias);
  model.node("Conv", {in, "stem"}, "a", same).node("Relu", {"a"}, "b").node("Conv", {"b", "block"}, "c", same);
  model.node("Add", {"b", "c"}, "d")
      .node("Relu", {"d"}, "e")
      .node("GlobalAveragePool", {"e"}, "map")
      .node("Flatten", {"map"}, "flat");
  model.node("Gemm", {"flat", "last", "bias"}, "embedding", {{"transB", int64_t{1}}});
  return model.output("embedding", {batch, 5});
}

std::vector<double> SmallResNet::reference(const float* image) const {
  std::vector<double> first = convolve({image, image + 3 * kSide * kSide}, 3, stem);
  rectify(first);
  std::vector<double> second = convolve(first, kWidth, block);
  for (size_t i = 0; i < first.size(); ++i) second[i] += first[i];
  rectify(second);
  std::vector<double> result(bias.begin(), bias.end());
  for (size_t o = 0; o < result.size(); ++o) {
    for (size_t i = 0; i < second.size(); ++i) {
      result[o] += second[i] / (kSide * kSide) * static_cast<double>(last[o * kWidth + i / (kSide * kSide)]);
    }
  }
  return result;
}

OnnxModel largest_of_batch(int64_t batch) {
  OnnxModel model;
  model.input("pixel_values", {batch, 3, 8, 8});
  model.node("GlobalAveragePool", {"pixel_values"}, "map").node("Flatten", {"map"}, "means");
  model.node("ReduceMax", {"means"}, "largest", {{"axes", std::vector<int64_t>{0}}});
  return model.node("Add", {"means", "largest"}, "embedding").output("embedding", {batch, 3});
}

OnnxModel quantised_by_batch(int64_t batch) {
  OnnxModel model;
  model.input("pixel_values", {batch, 3, 8, 8});
  model.node("DynamicQuantizeLinear", {"pixel_values"}, std::vector<std::string>{"bytes", "scale", "zero"});
  model.node("DequantizeLinear", {"bytes", "scale", "zero"}, "coarse");
  model.node("GlobalAveragePool", {"coarse"}, "map").node("Flatten", {"map"}, "embedding");
  return model.output("embedding", {batch, 3});
}

SmallViT::SmallViT()
    : patch(some(kDim * 3 * 16, 5)),
      token(some(kDim, 6)),
      position(some(kTokens * kDim, 7)),
      query(some(kDim * kDim, 8)),
      key(some(kDim * kDim, 9)),
      value(some(kDim * kDim, 10)),
      out(some(kDim * kDim, 11)),
      scale(some(kDim, 12)),
      shift(some(kDim, 13)) {}

OnnxModel SmallViT::model() const {
  OnnxModel model;
  model.input("pixel_values", {-1, -1, -1, -1});
  model.weights("patch", {6, 3, 4, 4}, patch)
      .weights("token", {1, 1, 6}, token)
      .weights("position", {1, 5, 6}, position);
  model.weights("wq", {6, 6}, query).weights("wk", {6, 6}, key).weights("wv", {6, 6}, value).weights("wo", {6, 6}, out);
  model.weights("scale", {6}, scale).weights("shift", {6}, shift).weights("half", {1}, {0.5f});
  model.integers("flat", {0, 6, -1}).integers("zero", {0}).integers("one", {1}).integers("six", {6});
  model.node("Conv", {"pixel_values", "patch"}, "patches",
             {{"kernel_shape", std::vector<int64_t>{4, 4}}, {"strides", std::vector<int64_t>{4, 4}}});
  model.node("Reshape", {"patches", "flat"}, "columns");
  model.node("Transpose", {"columns"}, "rows", {{"perm", std::vector<int64_t>{0, 2, 1}}});
  // One class token an image, in front.
  model.node("Shape", {"rows"}, "shape").node("Gather", {"shape", "zero"}, "images");
  model.node("Concat", {"images", "one", "six"}, "token_shape", {{"axis", int64_t{0}}});
  model.node("Expand", {"token", "token_shape"}, "tokens");
  model.node("Concat", {"tokens", "rows"}, "all", {{"axis", int64_t{1}}}).node("Add", {"all", "position"}, "x");
  const Attributes last_axis{{"axis", int64_t{-1}}};
  model.node("LayerNormalization", {"x", "scale", "shift"}, "normed", last_axis);
  model.node("MatMul", {"normed", "wq"}, "q")
      .node("MatMul", {"normed", "wk"}, "k")
      .node("MatMul", {"normed", "wv"}, "v");
  model.node("Transpose", {"k"}, "kt", {{"perm", std::vector<int64_t>{0, 2, 1}}});
  model.node("MatMul", {"q", "kt"}, "dots")
      .node("Mul", {"dots", "half"}, "scaled")
      .node("Softmax", {"scaled"}, "w", last_axis);
  model.node("MatMul", {"w", "v"}, "mixed")
      .node("MatMul", {"mixed", "wo"}, "projected")
      .node("Add", {"x", "projected"}, "y");
  model.node("LayerNormalization", {"y", "scale", "shift"}, "last_hidden_state", last_axis);
  return model.output("last_hidden_state", {-1, 5, 6});
}

std::vector<double> SmallViT::reference(const float* image) const {
  Matrix x(wide(position));
  for (size_t d = 0; d < kDim; ++d) {
    x[d] += static_cast<double>(token[d]);
    for (size_t t = 1; t < kTokens; ++t) {
      for (size_t k = 0; k < 48; ++k) {
        const size_t channel = k / 16, row = (t - 1) / 2 * 4 + k % 16 / 4, column = (t - 1) % 2 * 4 + k % 4;
        x[t * kDim + d] += static_cast<double>(image[(channel * kSide + row) * kSide + column]) *
                           static_cast<double>(patch[d * 48 + k]);
      }
    }
  }
  const Matrix normed = layer_norm(x, scale, shift);
  const Matrix weights = attention_weights(product(normed, wide(query), kDim), product(normed, wide(key), kDim));
  const Matrix mixed = product(weights, product(normed, wide(value), kDim), kTokens);
  const Matrix projected = product(mixed, wide(out), kDim);
  for (size_t i = 0; i < x.size(); ++i) x[i] += projected[i];
  return layer_norm(x, scale, shift);
}

}  // namespace dppl::testing
