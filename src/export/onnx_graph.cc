#include "export/onnx_graph.h"

#include "export/constants.h"

namespace dppl::onnx {
namespace {

using protobuf::Message;

Message entry(std::string_view key, std::string_view value) { return Message().text(1, key).text(2, value); }

Message value_info(const Tensor& tensor) {
  Message shape;
  for (const Extent& extent : tensor.shape) {
    Message dimension;
    if (const auto* fixed = std::get_if<int64_t>(&extent)) {
      dimension.number(1, *fixed);
    } else if (!std::get<std::string>(extent).empty()) {
      dimension.text(2, std::get<std::string>(extent));
    }
    shape.text(1, dimension);
  }
  const Message type = Message().number(1, static_cast<int64_t>(tensor.type)).text(2, shape);
  return Message().text(1, tensor.name).text(2, Message().text(1, type));
}

Message attribute(const Attribute& attribute) {
  using namespace attribute_field;
  Message result;
  result.text(kName, attribute.first);
  if (const auto* integer = std::get_if<int64_t>(&attribute.second))
    return result.number(kInteger, *integer).number(kType, kIsInteger);
  for (const int64_t value : std::get<std::vector<int64_t>>(attribute.second)) result.number(kIntegers, value);
  return result.number(kType, kIsIntegers);
}

}  // namespace

void Graph::input(const Tensor& tensor) { graph_.text(graph_field::kInput, value_info(tensor)); }
void Graph::output(const Tensor& tensor) { graph_.text(graph_field::kOutput, value_info(tensor)); }

template <typename T>
Value Graph::constant_of(const std::string& name, const std::vector<int64_t>& shape, const std::vector<T>& values,
                         Type type) {
  Message tensor;
  for (const int64_t extent : shape) tensor.number(tensor_field::kDims, extent);
  tensor.number(tensor_field::kType, static_cast<int64_t>(type));
  tensor.text(tensor_field::kRaw, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
  const Message value = Message()
                            .text(attribute_field::kName, "value")
                            .text(attribute_field::kTensor, tensor)
                            .number(attribute_field::kType, attribute_field::kIsTensor);
  add("Constant", {}, prefix_ + name, {value});
  return prefix_ + name;
}

Value Graph::constant(const std::string& name, const std::vector<int64_t>& shape, const std::vector<float>& values) {
  return constant_of(name, shape, values, Type::float32);
}
Value Graph::constant(const std::string& name, const std::vector<int64_t>& shape, const std::vector<double>& values) {
  return constant_of(name, shape, values, Type::float64);
}
Value Graph::constant(const std::string& name, const std::vector<int64_t>& shape, const std::vector<int64_t>& values) {
  return constant_of(name, shape, values, Type::int64);
}

Value Graph::node(const std::string& op, const std::vector<Value>& inputs, const std::string& name,
                  const std::vector<Attribute>& attributes) {
  node_named(op, inputs, prefix_ + name, attributes);
  return prefix_ + name;
}

void Graph::node_named(const std::string& op, const std::vector<Value>& inputs, const Value& result,
                       const std::vector<Attribute>& attributes) {
  std::vector<Message> messages;
  for (const Attribute& each : attributes) messages.push_back(attribute(each));
  add(op, inputs, result, messages);
}

Value Graph::reduce(const std::string& op, const Value& of, const std::vector<int64_t>& axes, bool keep,
                    const std::string& name) {
  const int64_t axes_are_an_input = op == "ReduceSum" ? 13 : 18;
  const Attribute kept{"keepdims", int64_t{keep}};
  if (opset_ < axes_are_an_input) return node(op, {of}, name, {{"axes", axes}, kept});
  const Value along = constant(name + "_axes", {static_cast<int64_t>(axes.size())}, axes);
  return node(op, {of, along}, name, {kept});
}

Value Graph::cast(const Value& of, Type type, const std::string& name) {
  return node("Cast", {of}, name, {{"to", static_cast<int64_t>(type)}});
}

void Graph::add(const std::string& op, const std::vector<Value>& inputs, const Value& result,
                const std::vector<Message>& attributes) {
  Message node;
  for (const Value& value : inputs) node.text(node_field::kInput, value);
  node.text(node_field::kOutput, result).text(node_field::kName, result).text(node_field::kOp, op);
  for (const Message& each : attributes) node.text(node_field::kAttribute, each);
  graph_.text(graph_field::kNode, node);
}

std::string model_part(const Graph& graph, const Metadata& metadata) {
  Message model;
  model.text(model_field::kGraph, graph.bytes());
  for (const auto& [key, value] : metadata) model.text(model_field::kMetadata, entry(key, value));
  return model.bytes();
}

std::string whole_model(const Graph& graph, const std::string& name, const Metadata& metadata) {
  const Message opset = Message().text(1, "").number(2, graph.opset());
  Message model;
  model.number(model_field::kIrVersion, kFileVersion)
      .text(model_field::kProducer, "dppl")
      .text(model_field::kOpset, opset);
  model.text(model_field::kGraph, Message().text(graph_field::kName, name));
  return model.bytes() + model_part(graph, metadata);
}

}  // namespace dppl::onnx
