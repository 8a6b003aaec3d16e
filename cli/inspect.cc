#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "cli/command.h"
#include "dppl/error.h"
#include "dppl/model.h"

namespace dppl::cli {
namespace {

struct Options {
  std::string model, pool;
  bool json = false;
};

void check_pool(const Model& model, const Options& options) {
  if (!model.pool) throw InvalidInput(fmt::format("{}: was made without a pool", options.model));
  const std::string digest = PublicData::open(options.pool).digest();
  if (digest != model.pool->digest) {
    throw InvalidInput(
        fmt::format("{}: is not the pool that {} was made with, or it was changed since (digest {}, the model says {})",
                    options.pool, options.model, digest, model.pool->digest));
  }
  std::cerr << fmt::format("{}: is the pool that {} was made with\n", options.pool, options.model);
}

}  // namespace

void add_inspect(CLI::App& app) {
  CLI::App* command =
      add_command(app, "inspect", "Say what a model is, what it guarantees and how it was made",
                  "  dppl inspect model.dppl\n"
                  "Prints the guarantee in words and in other notions, what is not protected, and the settings.\n"
                  "Fails if the file was changed or damaged. Whoever may see the model may see what this\n"
                  "command prints.");
  auto options = std::make_shared<Options>();
  add_model(*command, options->model);
  command->add_option("--pool", options->pool, "Also check that the model was made with this pool")
      ->type_name("P.npy|P.pool|P.pools");
  add_json(*command, options->json);
  command->callback([options] {
    const Model model = load_model(options->model);
    if (!options->pool.empty()) check_pool(model, *options);
    std::cout << (options->json ? model_json(model) + "\n" : describe_model(model));
  });
}

}  // namespace dppl::cli
