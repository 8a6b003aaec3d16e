#include "dppl/export.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "cli/command.h"
#include "cli/paths.h"

namespace dppl::cli {
namespace {

struct Options {
  std::string model, encoder, output;
  bool json = false;
};

PublishedModel open_model(const std::string& path) {
  PublishedModel published = PublishedModel::open(path);
  if (!published.model.guarantee.is_private)
    std::cerr << fmt::format("{}: NOT PRIVATE: made with a fixed seed; do not publish it\n", path);
  return published;
}

void run(const Options& options) {
  refuse_overwriting({options.output}, {options.model});
  const PublishedModel published = open_model(options.model);
  const std::string bytes =
      options.encoder.empty() ? onnx_classifier(published) : onnx_image_classifier(published, options.encoder);
  write_export(options.output, bytes);
  if (options.json) {
    print_json({{"output", options.output},
                {"bytes", bytes.size()},
                {"private", published.model.guarantee.is_private},
                {"model_digest", published.digest}});
  } else {
    std::cerr << fmt::format("{}: {:.1f} kB\n", options.output, static_cast<double>(bytes.size()) / 1e3);
  }
}

}  // namespace

void add_export(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(app, "export", "Make a model run without dppl: as ONNX",
                                  "  dppl export scans.dppl -o scans.onnx\n"
                                  "writes the classifier as an ONNX graph: embedding in; label, scores and\n"
                                  "probabilities out, with the guarantee in its metadata.");
  command->add_option("model", options->model, "The model")->required()->type_name("MODEL.dppl");
  command->add_option("-o,--output", options->output, "The file to write")->required()->type_name("MODEL.onnx");
  command->add_option("--encoder", options->encoder, "The encoder of the model's rows: one file from pixels to label")
      ->type_name("NAME|model.onnx");
  command->add_flag("--json", options->json, "One JSON object on standard output");
  command->callback([options] { run(*options); });
}

}  // namespace dppl::cli
