#include "serving/model_store.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/utf8.h"
#include "dppl/error.h"
#include "model/guarantee_words.h"
#include "serving/protocol.h"
#include "serving/read_file.h"

namespace dppl::serving {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kVersionDigits = 16;

void check_name(const ServedFile& file) {
  std::string_view rest = file.name;
  bool good = !rest.empty();
  while (good && !rest.empty()) {
    const std::optional<uint32_t> character = take_character(rest);
    good = character && !is_control(*character) && *character != '/';
  }
  if (good) return;
  throw InvalidInput(
      fmt::format("{}: '{}' cannot be the name of a model; give one as NAME=FILE, without '/'", file.path, file.name));
}

Json tensor(const char* name, const char* datatype, Json shape) {
  return {{"name", name}, {"datatype", datatype}, {"shape", std::move(shape)}};
}

// The protocol's parameters are texts, numbers and truth values.
Json parameters(const Model& model, const std::string& digest) {
  const Json told = Json::parse(model_json(model));
  Json result = Json::object({{"digest", digest}});
  for (const char* key : {"method", "private", "unit", "relation", "score_scale", "ledger_entry"}) {
    if (told.contains(key) && !told[key].is_null()) result[key] = told[key];
  }
  for (const auto& [key, value] : told["guarantee"].items()) {
    if (value.is_primitive() && !value.is_null()) result[key] = value;
  }
  return result;
}

std::string metadata(const ServedFile& file, const Model& model, const std::string& digest) {
  Json result{{"name", file.name},
              {"versions", Json::array({digest.substr(0, kVersionDigits)})},
              {"platform", "dppl_model"},
              {"inputs", Json::array({tensor(kInput, "FP32", Json::array({-1, model.input_dim()}))})}};
  for (const Output output : kOutputs) {
    const TensorType type = describe(output);
    Json shape = Json::array({-1});
    if (type.per_class) shape.push_back(model.classes.size());
    result["outputs"].push_back(tensor(type.name, type.datatype, std::move(shape)));
  }
  result["parameters"] = parameters(model, digest);
  result["classes"] = model.classes.names();
  return result.dump();
}

ModelPointer load(const ServedFile& file) {
  const std::string bytes = read_file(file.path);
  const Model model = parse_model(bytes, file.path);
  const std::string digest = to_hex(digest_of(bytes));
  return std::make_shared<const LoadedModel>(LoadedModel{.name = file.name,
                                                         .digest = digest,
                                                         .version = digest.substr(0, kVersionDigits),
                                                         .classes = model.classes,
                                                         .classifier = Classifier(model, 1),
                                                         .is_private = model.guarantee.is_private,
                                                         .guarantee = guarantee_words(model),
                                                         .metadata = metadata(file, model, digest)});
}

}  // namespace

ModelStore::ModelStore(std::vector<ServedFile> files) : files_(std::move(files)) {
  if (files_.empty()) throw InvalidInput("there is no model to serve");
  for (const ServedFile& file : files_) {
    check_name(file);
    if (models_.contains(file.name)) {
      throw InvalidInput(fmt::format("{}: two models are called '{}'; give one of them another name, as NAME=FILE",
                                     file.path, file.name));
    }
    models_[file.name] = load(file);
  }
}

ModelPointer ModelStore::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = models_.find(name);
  return found == models_.end() ? nullptr : found->second;
}

std::vector<ModelPointer> ModelStore::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<ModelPointer> result;
  for (const ServedFile& file : files_) result.push_back(models_.at(file.name));
  return result;
}

std::vector<std::string> ModelStore::reload() {
  std::vector<std::string> failures;
  for (const ServedFile& file : files_) {
    try {
      ModelPointer loaded = load(file);
      const std::lock_guard lock(mutex_);
      models_[file.name].swap(loaded);
    } catch (const std::exception& error) {
      failures.push_back(error.what());
    }
  }
  return failures;
}

}  // namespace dppl::serving
