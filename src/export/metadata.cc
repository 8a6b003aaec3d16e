#include "export/metadata.h"

#include "encoders/onnx_session.h"

namespace dppl::onnx {
namespace {

using Json = nlohmann::ordered_json;

// The part of the model's description that is about privacy.
Json guarantee(const Json& description) {
  Json result;
  for (const char* key : {"private", "unit", "relation", "guarantee", "also", "ledger_entry"})
    result[key] = description.at(key);
  return result;
}

}  // namespace

OnnxPort port_of(const Tensor& tensor) {
  OnnxPort port{tensor.name, std::string(to_string(tensor.type)), {}};
  for (const Extent& extent : tensor.shape) {
    const auto* fixed = std::get_if<int64_t>(&extent);
    port.shape.push_back(fixed != nullptr ? std::to_string(*fixed) : std::get<std::string>(extent));
  }
  return port;
}

std::string preprocessing_json(const std::vector<std::string>& in_graph, Json facts) {
  Json result = {{"in_graph", in_graph}};
  result.update(facts);
  return result.dump();
}

Metadata metadata_of(const PublishedModel& published) {
  const Model& model = published.model;
  return {{"dppl.classes", Json(model.classes.names()).dump()},
          {"dppl.guarantee", guarantee(Json::parse(model_json(model))).dump()},
          {"dppl.description", describe_model(model)},
          {"dppl.model_digest", published.digest},
          {"dppl.ledger_entry", model.ledger_entry}};
}

}  // namespace dppl::onnx
