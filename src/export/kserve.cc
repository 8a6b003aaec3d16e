#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/system_error.h"
#include "dppl/error.h"
#include "dppl/export.h"
#include "export/constants.h"
#include "export/yaml.h"

namespace dppl {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// A folder that gets its name when it is complete, and goes away when it does not.
class NewFolder {
 public:
  explicit NewFolder(const std::string& path)
      : path_(fs::path(path + "/").parent_path()), aside_(path_.string() + ".XXXXXX") {
    if (fs::exists(fs::symlink_status(path_))) {
      throw InvalidInput(fmt::format("{}: is there already; name a folder that is not", path_.string()));
    }
    if (::mkdtemp(aside_.data()) == nullptr) throw system_error(path_.string(), "cannot be made");
    fs::permissions(aside_, fs::perms(0755));  // mkdtemp makes it for the owner alone
  }
  ~NewFolder() {
    std::error_code error;
    fs::remove_all(aside_, error);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  std::string file(const fs::path& relative) const {
    const fs::path file = fs::path(aside_) / relative;
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (error) throw system_error(path_.string(), "cannot be made", error.value());
    return file.string();
  }
  // Of a file aside: what it is called once the folder is published.
  std::string final_name(const std::string& file) const {
    return (path_ / fs::path(file).lexically_relative(aside_)).string();
  }
  void publish() {
    std::error_code error;
    fs::rename(aside_, path_, error);
    if (error) throw system_error(path_.string(), "cannot be made", error.value());
  }

 private:
  fs::path path_;
  std::string aside_;
};

// Kubernetes takes small letters, digits and dashes, 63 of them.
std::string service_name(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, 63)) {
    const bool capital = c >= 'A' && c <= 'Z', kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    result += capital ? static_cast<char>(c - 'A' + 'a') : kept ? c : '-';
  }
  while (result.ends_with('-')) result.pop_back();
  result.erase(0, std::min(result.find_first_of("abcdefghijklmnopqrstuvwxyz"), result.size()));
  return result.empty() ? "model" : result;
}

std::string triton_type(const std::string& type) {
  return type == "uint8" ? "TYPE_UINT8" : type == "float16" ? "TYPE_FP16" : "TYPE_FP32";
}

bool is_fixed(const std::string& extent) {
  return std::ranges::all_of(extent, [](char c) { return c >= '0' && c <= '9'; });
}

// Without the first one, where that is a batch of any size.
std::vector<std::string> dims(const OnnxPort& port, bool batched) {
  std::vector<std::string> result;
  for (size_t i = batched ? 1 : 0; i < port.shape.size(); ++i) {
    result.push_back(is_fixed(port.shape[i]) ? port.shape[i] : "-1");
  }
  return result;
}

std::string tensor(const char* kind, const std::string& name, const std::string& type, const std::string& dims_text,
                   const std::string& more = "") {
  return fmt::format("{} [\n  {{\n    name: \"{}\"\n    data_type: {}\n    dims: [ {} ]\n{}  }}\n]\n", kind, name, type,
                     dims_text, more);
}

std::string triton_config(const std::string& name, const OnnxExported& exported, size_t classes) {
  const bool batched = !is_fixed(exported.input.shape.at(0));
  const std::string rows = batched ? "" : exported.input.shape[0] + ", ";
  std::string result = fmt::format("name: \"{}\"\nplatform: \"onnxruntime_onnx\"\nmax_batch_size: {}\n", name,
                                   batched ? kLargestBatch : 0);
  result += tensor("input", exported.input.name, triton_type(exported.input.type),
                   fmt::format("{}", fmt::join(dims(exported.input, batched), ", ")));
  // One number per row: Triton has no empty shapes, so that each is a row of one.
  result += tensor("output", exported.label, "TYPE_INT64", batched ? "1" : exported.input.shape[0],
                   batched ? "    reshape: { shape: [ ] }\n" : "");
  result += tensor("output", exported.scores, "TYPE_FP32", rows + std::to_string(classes));
  result += tensor("output", exported.probabilities, "TYPE_FP32", rows + std::to_string(classes));
  return batched ? result + "dynamic_batching { }\n" : result;
}

std::string inference_service(const std::string& name, const std::string& storage_uri) {
  const Json model = {{"modelFormat", {{"name", "onnx"}}},
                      {"protocolVersion", "v2"},
                      {"runtime", "kserve-tritonserver"},
                      {"storageUri", storage_uri}};
  return to_yaml({{"apiVersion", "serving.kserve.io/v1beta1"},
                  {"kind", "InferenceService"},
                  {"metadata", {{"name", name}}},
                  {"spec", {{"predictor", {{"model", model}}}}}});
}

}  // namespace

OnnxExported export_kserve(const PublishedModel& published, const OnnxExportOptions& options,
                           const std::string& storage_uri, const std::string& folder) {
  const std::string name = service_name(published.name);
  NewFolder files(folder);
  OnnxExported exported = export_onnx(published, options, files.file(fs::path(name) / "1" / "model.onnx"));
  write_export(files.file(fs::path(name) / "config.pbtxt"),
               triton_config(name, exported, published.model.classes.size()));
  write_export(files.file("inference-service.yaml"),
               inference_service(name, storage_uri.empty() ? "pvc://models/" + name : storage_uri));
  files.publish();
  for (std::string& copied : exported.copied) copied = files.final_name(copied);
  return exported;
}

}  // namespace dppl
