#include "dppl/export.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "cli/command.h"
#include "cli/encoder_options.h"
#include "cli/paths.h"

namespace dppl::cli {
namespace {

struct Options {
  std::string model, output;
  OnnxExportOptions onnx;
  bool json = false;
};

PublishedModel open_model(const std::string& path) {
  PublishedModel published = PublishedModel::open(path);
  if (!published.model.guarantee.is_private)
    std::cerr << fmt::format("{}: NOT PRIVATE: made with a fixed seed; do not publish it\n", path);
  return published;
}

nlohmann::ordered_json to_json(const OnnxExported& written, const std::string& path) {
  nlohmann::ordered_json json{
      {"output", path},
      {"bytes", written.bytes},
      {"opset", written.opset},
      {"input", written.input},
      {"outputs", {{"label", written.label}, {"scores", written.scores}, {"probabilities", written.probabilities}}}};
  if (!written.preprocessing.empty()) json["preprocessing"] = written.preprocessing;
  if (!written.copied.empty()) json["copied"] = written.copied;
  return json;
}

void print(const OnnxExported& written, const std::string& path) {
  std::cerr << fmt::format("{}: {:.1f} kB, ONNX operators {}\n", path, static_cast<double>(written.bytes) / 1e3,
                           written.opset)
            << fmt::format("in         {}\n", written.input)
            << fmt::format("out        int64 {}, float32 {}, float32 {}\n", written.label, written.scores,
                           written.probabilities);
  if (!written.preprocessing.empty()) std::cerr << fmt::format("images     {}\n", written.preprocessing);
  for (const std::string& file : written.copied) std::cerr << fmt::format("copied     {}\n", file);
}

void run(const Options& options) {
  refuse_overwriting({options.output}, {options.model, options.onnx.encoder});
  const PublishedModel published = open_model(options.model);
  const OnnxExported written = export_onnx(published, options.onnx, options.output);
  if (!written.note.empty()) std::cerr << "dppl: " << written.note << "\n";
  if (!options.json) return print(written, options.output);
  nlohmann::ordered_json json = to_json(written, options.output);
  json["private"] = published.model.guarantee.is_private;
  json["model_digest"] = published.digest;
  print_json(json);
}

}  // namespace

void add_export(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(app, "export", "Make a model run without dppl: as ONNX",
                                  "  dppl export scans.dppl -o scans.onnx\n"
                                  "writes the classifier as an ONNX graph: embedding in; label, scores and\n"
                                  "probabilities out, with the guarantee in its metadata.");
  command->add_option("model", options->model, "The model")->required()->type_name("MODEL.dppl");
  command->add_option("-o", options->output, "The file to write")->required()->type_name("MODEL.onnx");
  command
      ->add_option("--encoder", options->onnx.encoder,
                   "The encoder that the model's rows were made with: one file from pixels to label")
      ->type_name("NAME|model.onnx");
  add_image_size(*command, options->onnx.how);
  command->add_flag("--prepared-input", options->onnx.prepared_input,
                    "Keep the encoder's own input; how images are prepared for it is only described");
  command->add_flag("--json", options->json, "One JSON object on standard output");
  add_onnx_options(*command, options->onnx.how, "--encoder-output", "--encoder-pool");
  command->callback([options] { run(*options); });
}

}  // namespace dppl::cli
