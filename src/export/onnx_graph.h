#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "encoders/ort_api.h"
#include "export/protobuf.h"

// Graphs in ONNX's format, written node by node.
namespace dppl::onnx {

// The fields' numbers in onnx.proto, by message.
namespace model_field {
inline constexpr unsigned kIrVersion = 1, kProducer = 2, kGraph = 7, kOpset = 8, kMetadata = 14;
}
namespace graph_field {
inline constexpr unsigned kNode = 1, kName = 2, kInitialiser = 5, kInput = 11, kOutput = 12, kSparse = 15;
}
namespace node_field {
inline constexpr unsigned kInput = 1, kOutput = 2, kName = 3, kOp = 4, kAttribute = 5;
}
namespace attribute_field {
inline constexpr unsigned kName = 1, kInteger = 3, kTensor = 5, kGraph = 6, kIntegers = 8, kTensors = 10, kGraphs = 11;
inline constexpr unsigned kType = 20;
inline constexpr int64_t kIsInteger = 2, kIsTensor = 4, kIsIntegers = 7;
}  // namespace attribute_field
namespace tensor_field {
inline constexpr unsigned kDims = 1, kType = 2, kName = 8, kRaw = 9, kExternal = 13;
}

using Type = ort::ElementType;

// A fixed extent, or the name of one that is open; extents of the same name are equal. An empty name: just open.
using Extent = std::variant<int64_t, std::string>;
using Shape = std::vector<Extent>;

struct Tensor {
  std::string name;
  Type type = Type::float32;
  Shape shape = {};
};

using Attribute = std::pair<std::string, std::variant<int64_t, std::vector<int64_t>>>;
// What a node makes, by name.
using Value = std::string;

// Nodes that are valid in every version of ONNX's operators from 7 on, where not said otherwise. Constants are nodes as
// well: what a model of before 2019 has as an initialiser, it must list among its inputs.
class Graph {
 public:
  // All names that this graph makes up begin with `prefix`.
  Graph(int64_t opset, std::string prefix = "") : opset_(opset), prefix_(std::move(prefix)) {}
  int64_t opset() const { return opset_; }

  void input(const Tensor& tensor);
  void output(const Tensor& tensor);

  Value constant(const std::string& name, const std::vector<int64_t>& shape, const std::vector<float>& values);
  Value constant(const std::string& name, const std::vector<int64_t>& shape, const std::vector<double>& values);
  Value constant(const std::string& name, const std::vector<int64_t>& shape, const std::vector<int64_t>& values);

  // `name` is what the result is called, behind the prefix.
  Value node(const std::string& op, const std::vector<Value>& inputs, const std::string& name,
             const std::vector<Attribute>& attributes = {});
  // The same under exactly this name.
  void node_named(const std::string& op, const std::vector<Value>& inputs, const Value& result,
                  const std::vector<Attribute>& attributes = {});
  // ReduceMax, ReduceMean or ReduceSum along these axes, which later versions take as an input.
  Value reduce(const std::string& op, const Value& of, const std::vector<int64_t>& axes, bool keep,
               const std::string& name);
  Value cast(const Value& of, Type type, const std::string& name);

  // A GraphProto.
  const std::string& bytes() const { return graph_.bytes(); }

 private:
  template <typename T>
  Value constant_of(const std::string& name, const std::vector<int64_t>& shape, const std::vector<T>& values,
                    Type type);
  void add(const std::string& op, const std::vector<Value>& inputs, const Value& result,
           const std::vector<protobuf::Message>& attributes);

  int64_t opset_;
  std::string prefix_;
  protobuf::Message graph_;
};

using Metadata = std::vector<std::pair<std::string, std::string>>;

// The parts of a ModelProto that can stand behind those of another one.
std::string model_part(const Graph& graph, const Metadata& metadata);
// A whole ModelProto, for a graph that is on its own.
std::string whole_model(const Graph& graph, const std::string& name, const Metadata& metadata);

}  // namespace dppl::onnx
