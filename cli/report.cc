#include "dppl/report.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/command.h"
#include "cli/evaluation.h"
#include "cli/paths.h"
#include "cli/pool_images.h"

namespace dppl::cli {
namespace {

struct Options {
  std::vector<std::string> models;
  std::string output, title, ledger, dataset;
  PoolImageOptions public_images;
  TestData test;
  unsigned threads = kDefaultThreads;
  bool json = false;
};

void check(const Options& options) {
  options.test.check();
  if (options.ledger.empty() != options.dataset.empty()) throw CLI::ValidationError("--ledger", "goes with --dataset");
  options.public_images.check();
}

ReportedModel open_model(const Options& options, const std::string& argument) {
  const auto [label, path] = split_name(argument);
  ReportedModel one{std::filesystem::path(path).stem().string(), label, load_model(path)};
  if (!one.model.guarantee.is_private)
    std::cerr << fmt::format("{}: NOT PRIVATE: made with a fixed seed; the page says so\n", path);
  if (options.test.given()) one.evaluation = options.test.measure(one.model, options.threads);
  return one;
}

ReportedLedger open_ledger(const Options& options) {
  Ledger::Contents contents = Ledger(options.ledger).contents();
  std::erase_if(contents.entries, [&](const auto& entry) { return entry.dataset != options.dataset; });
  return {Ledger(options.ledger).status(options.dataset), std::move(contents.entries), contents.head};
}

nlohmann::ordered_json to_json(const ReportedModel& one) {
  nlohmann::ordered_json json{
      {"name", one.name}, {"method", method_name(one.model.settings)}, {"private", one.model.guarantee.is_private}};
  if (one.evaluation) {
    json["accuracy"] = one.evaluation->accuracy;
    json["balanced_accuracy"] = one.evaluation->balanced_accuracy;
    if (one.evaluation->minority_accuracy) json["minority_accuracy"] = *one.evaluation->minority_accuracy;
  }
  return json;
}

void run(Options& options) {
  check(options);
  Report report{.title = options.title, .models = {}, .threads = options.threads};
  for (const std::string& argument : options.models) report.models.push_back(open_model(options, argument));
  if (report.title.empty()) report.title = report.models.size() == 1 ? report.models[0].name : "Models for release";
  report.images = options.public_images.open_images();
  report.pool = options.public_images.open_pool(options.threads);
  if (!options.ledger.empty()) report.ledger = open_ledger(options);
  write_report(report, options.output);
  const uint64_t bytes = std::filesystem::file_size(options.output);
  if (!options.json) {
    std::cerr << fmt::format("{}: {} model{}, {:.1f} kB; open it in a browser\n", options.output, report.models.size(),
                             report.models.size() == 1 ? "" : "s", static_cast<double>(bytes) / 1e3);
    return;
  }
  nlohmann::ordered_json models = nlohmann::ordered_json::array();
  for (const ReportedModel& one : report.models) models.push_back(to_json(one));
  print_json({{"report", options.output}, {"bytes", bytes}, {"models", models}});
}

}  // namespace

void add_report(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      app, "report", "One HTML page about models, for people who decide whether to publish them",
      "  dppl report scans.dppl -o scans.html --images public-images/ --in test-x.npy --labels test-y.npy \\\n"
      "       --ledger clinic.ledger --dataset scans\n"
      "shows the guarantee in words, the public image that stands for each class, accuracy, settings\n"
      "and what the data set has spent. The page is a single file that loads nothing from elsewhere.\n"
      "Several models are compared:\n"
      "  dppl report public=p1.dppl public=p2.dppl mean=m1.dppl mean=m2.dppl -o compare.html \\\n"
      "       --in test-x.npy --labels test-y.npy\n"
      "draws accuracy against the budget, one line per label. Accuracy figures are not private: they\n"
      "depend on the test labels, and on the training counts if --train-labels is given.");
  command
      ->add_option("models", options->models,
                   "The models; LABEL=MODEL names the line of the plot that a model belongs to")
      ->required()
      ->type_name("MODEL.dppl");
  command->add_option("-o,--output", options->output, "The page to write")->required()->type_name("PAGE.html");
  const AdvancedGroup page(*command, "The page");
  options->public_images.add_to(*command, page);
  options->test.add_to(*command, false);
  command->add_option("--ledger", options->ledger, "The ledger's file")->type_name("FILE");
  command->add_option("--dataset", options->dataset, "The data set in the ledger")->type_name("NAME");
  add_json(*command, options->json);
  page.add_option("--title", options->title, "The page's heading")->type_name("TEXT");
  add_threads(*command, options->threads, "Threads");
  add_private_errors_flag(*command);
  command->callback([options] { run(*options); });
}

}  // namespace dppl::cli
