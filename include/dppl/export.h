#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dppl/embed.h"
#include "dppl/metrics.h"
#include "dppl/model.h"

// A model for the outside world: as ONNX, which runs without dppl, and as papers about it. Nothing here reads private
// data; all of it follows from the model, and from public encoders.
namespace dppl {

// A model and what identifies it.
struct PublishedModel {
  std::string name;    // of the file, without folder and ending
  std::string digest;  // BLAKE2b-256 of the file, in hex, as the ledger has it
  Model model;

  // Throws as load_model() does.
  static PublishedModel open(const std::string& path);
};

// The classifier in ONNX's format, for ONNX Runtime from 1.6 on (operators 13, file version 7): `embedding` (float32, N
// × dim) in; `label` (int64, N), `scores` and `probabilities` (float32, N × classes) out, which are what `Classifier`
// says of the same rows up to rounding. Its metadata holds under `dppl.` the names of the classes, the guarantee as
// JSON, the model's digest and its entry in the ledger.
std::string onnx_classifier(const PublishedModel& model);
// The same with a built-in encoder ("builtin:hog") before it: `image` (uint8, N × height × width × channels, red, green
// and blue or grey, of any size) in. Throws InvalidInput for another encoder, or a model of rows of another dimension.
std::string onnx_image_classifier(const PublishedModel& model, const std::string& builtin_encoder);

struct OnnxExportOptions {
  std::string encoder;          // empty: the classifier alone; else a built-in one or a model in ONNX's format
  EncoderOptions how;           // as its rows were made with
  bool prepared_input = false;  // keep the encoder's own input, and only describe how images are prepared for it
};
struct OnnxPort {
  std::string name, type;          // "image", "uint8"
  std::vector<std::string> shape;  // "N", "height", "width", "3": names and "?" are open extents
  std::string describe() const;    // "uint8 image [N, height, width, 3]"
};
struct OnnxExported {
  uint64_t bytes = 0;
  int64_t opset = 0;  // version of ONNX's operators
  OnnxPort input = {};
  std::string label = {}, scores = {}, probabilities = {};  // the names of the outputs
  std::string preprocessing = {};        // what the graph does with an image, or what is left to do; in words
  std::vector<std::string> copied = {};  // files of weights that had to go along
  std::string note = {};                 // for whoever exports; empty: nothing
};
// Writes such a file; it appears complete or not at all. With an encoder.onnx its bytes are followed by those of the
// classifier, in the encoder's own version of operators (7 or later); from 11 on the file takes images of any size,
// before images of the encoder's size. Weights that lie in files beside the encoder are copied beside the output first.
// Throws InvalidInput for an encoder that does not fit the model or whose preprocessing nobody has stated.
OnnxExported export_onnx(const PublishedModel& model, const OnnxExportOptions& options, const std::string& path);

// A folder that Triton serves, and with it KServe: NAME/config.pbtxt, NAME/1/model.onnx (export_onnx()) and
// inference-service.yaml, which names `storage_uri` as the place to which the folder was copied. It appears complete or
// not at all, and must not be there before.
OnnxExported export_kserve(const PublishedModel& model, const OnnxExportOptions& options,
                           const std::string& storage_uri, const std::string& folder);

// What papers about a model state and the model does not know. What is empty is left out or left blank.
struct PublicationFacts {
  std::string title = {};  // empty: the model's name
  std::string licence = {}, base_model = {}, curator = {}, intended_use = {}, region = {}, sector = {};
  std::string date = {};      // of publication, as 2026-12-31
  bool takes_images = false;  // else embeddings
  // On test data of that name. Not private: it depends on the test records.
  std::optional<Evaluation> evaluation = {};
  std::string test_data = {};
};

// A model card: Markdown (README.md) with the YAML header that the Hugging Face hub reads.
std::string model_card(const PublishedModel& model, const PublicationFacts& facts);
// An entry of the registry of deployments of differential privacy, as YAML.
std::string registry_entry(const PublishedModel& model, const PublicationFacts& facts);

// Writes a file that appears complete or not at all.
void write_export(const std::string& path, std::string_view bytes);

}  // namespace dppl
