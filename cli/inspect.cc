#include <iostream>
#include <memory>

#include "cli/command.h"
#include "dppl/model.h"

namespace dppl::cli {
namespace {

struct Options {
  std::string model;
  bool json = false;
};

}  // namespace

void add_inspect(CLI::App& app) {
  CLI::App* command = add_command(app, "inspect", "What a model is, what it guarantees and how it was made",
                                  "  dppl inspect model.dppl\n"
                                  "Prints the guarantee in words and in other notions, what is not protected, and the\n"
                                  "settings. Fails when the file was changed or damaged. Nothing it prints is private\n"
                                  "beyond the model itself.");
  auto options = std::make_shared<Options>();
  command->add_option("model", options->model, "The model file")->required()->type_name("model.dppl");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options] {
    const Model model = load_model(options->model);
    std::cout << (options->json ? model_json(model) + "\n" : describe_model(model));
  });
}

}  // namespace dppl::cli
