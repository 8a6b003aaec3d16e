#include "dppl/export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <memory>

#include "cli/command.h"
#include "cli/encoder_options.h"
#include "cli/export_page.h"
#include "cli/paths.h"
#include "cli/publication_options.h"

namespace dppl::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string model, output, kserve, storage_uri;
  OnnxExportOptions onnx;
  PublicationOptions publication;
  PageOptions page;
  bool card = false, registry = false, json = false;
  unsigned threads = kDefaultThreads;

  bool paper() const { return card || registry; }
};

void check(const Options& options) {
  const bool folder = !options.kserve.empty() || options.page.given();
  const int kinds =
      int{options.card} + int{options.registry} + int{!options.kserve.empty()} + int{options.page.given()};
  if (kinds > 1) throw CLI::ValidationError("--card, --registry, --kserve and --page", "are written one at a time");
  if (kinds == 0 && options.output.empty()) throw CLI::RequiredError("-o, --page, --card, --registry or --kserve");
  if (folder && !options.output.empty()) throw CLI::ValidationError("-o", "does not go with --kserve and --page");
  options.page.check();
  if (options.kserve.empty() && !options.storage_uri.empty())
    throw CLI::ValidationError("--storage-uri", "goes with --kserve");
  options.publication.check(options.paper());
}

PublishedModel open_model(const std::string& path) {
  PublishedModel published = PublishedModel::open(path);
  if (!published.model.guarantee.is_private)
    std::cerr << fmt::format("{}: NOT PRIVATE: made with a fixed seed; do not publish it\n", path);
  return published;
}

// ---- What was written

Json to_json(const OnnxExported& written, const std::string& path) {
  Json json{
      {"path", path},
      {"bytes", written.bytes},
      {"opset", written.opset},
      {"input", {{"name", written.input.name}, {"type", written.input.type}, {"shape", written.input.shape}}},
      {"outputs", {{"label", written.label}, {"scores", written.scores}, {"probabilities", written.probabilities}}}};
  if (!written.preprocessing.empty()) json["preprocessing"] = written.preprocessing;
  if (!written.copied.empty()) json["copied"] = written.copied;
  return json;
}

void tell(const OnnxExported& written, const std::string& path) {
  std::cerr << fmt::format("{}: {:.1f} kB, ONNX operators {}\n", path, static_cast<double>(written.bytes) / 1e3,
                           written.opset)
            << fmt::format("in         {}\n", written.input.describe())
            << fmt::format("out        int64 {}, float32 {}, float32 {}\n", written.label, written.scores,
                           written.probabilities);
  if (!written.preprocessing.empty()) std::cerr << fmt::format("images     {}\n", written.preprocessing);
  for (const std::string& file : written.copied) std::cerr << fmt::format("copied     {}\n", file);
}

// ---- The kinds of export

Json export_onnx(const Options& options, const PublishedModel& published) {
  const bool folder = !options.kserve.empty();
  const std::string& path = folder ? options.kserve : options.output;
  const OnnxExported written = folder ? export_kserve(published, options.onnx, options.storage_uri, path)
                                      : dppl::export_onnx(published, options.onnx, path);
  if (!written.note.empty()) std::cerr << "dppl: " << written.note << "\n";
  if (!options.json) tell(written, path);
  return {{folder ? "kserve" : "onnx", to_json(written, path)}};
}

Json export_paper(const Options& options, const PublishedModel& published) {
  const bool takes_images = !options.onnx.encoder.empty();
  const PublicationFacts facts = options.publication.facts(published, takes_images, options.threads);
  const std::string text = options.card ? model_card(published, facts) : registry_entry(published, facts);
  const char* kind = options.card ? "card" : "registry";
  if (options.card && facts.licence.empty()) std::cerr << "dppl: the card states no licence (--license)\n";
  if (const auto missing = options.publication.missing_in_registry(); options.registry && !missing.empty()) {
    std::cerr << fmt::format(
        "dppl: the entry has blanks, for you to fill in ({}; and why you chose so, under "
        "justification)\n",
        fmt::join(missing, ", "));
  }
  if (options.output.empty()) {
    if (!options.json) std::cout << text;
    return {{kind, {{"text", text}}}};
  }
  write_export(options.output, text);
  if (!options.json)
    std::cerr << fmt::format("{}: {:.1f} kB\n", options.output, static_cast<double>(text.size()) / 1e3);
  return {{kind, {{"path", options.output}, {"bytes", text.size()}}}};
}

Json export_kind(Options& options, const PublishedModel& published) {
  if (options.paper()) return export_paper(options, published);
  if (options.page.given())
    return {{"page", options.page.write(published, options.onnx, options.threads, !options.json)}};
  return export_onnx(options, published);
}

void run(Options& options) {
  check(options);
  refuse_overwriting({options.output, options.kserve}, {options.model, options.onnx.encoder});
  const PublishedModel published = open_model(options.model);
  Json json{{"private", published.model.guarantee.is_private}, {"model_digest", published.digest}};
  json.update(export_kind(options, published));
  if (options.json) print_json(json);
}

}  // namespace

void add_export(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      app, "export", "Make a model run without dppl (ONNX), and write the papers that go with it",
      "  dppl export scans.dppl --encoder dinov2/model.onnx -o scans.onnx\n"
      "writes one file from pixels (uint8) to label, scores and probabilities, for ONNX Runtime and\n"
      "others; --size, --normalise, … as for 'dppl embed'. Without --encoder it takes embeddings.\n"
      "The file's metadata has the classes, the guarantee, the model's digest and its ledger entry.\n"
      "  dppl export scans.dppl --encoder builtin:hog --page scans-page/ --images public-images/\n"
      "writes a page that classifies in the visitor's own browser, and can send nothing.\n"
      "  dppl export scans.dppl --card --license cc-by-4.0 --in test-x.npy --labels test-y.npy -o README.md\n"
      "  dppl export scans.dppl --registry --curator 'Clinic' --region Europe -o scans.yaml\n"
      "write a model card as the Hugging Face hub reads it, and an entry for the registry of\n"
      "deployments of differential privacy. Test accuracies are not private.");
  add_model(*command, options->model);
  command->add_option("-o", options->output, "The file to write (required but for papers, --kserve and --page)")
      ->type_name("FILE");
  command
      ->add_option("--encoder", options->onnx.encoder,
                   "The encoder that the model's rows were made with: built in, or a model (.onnx)")
      ->type_name("NAME|model.onnx");
  add_image_size(*command, options->onnx.how);
  options->page.add_to(*command);
  command->add_flag("--card", options->card, "Write a model card (Markdown with a YAML header)");
  command->add_flag("--registry", options->registry, "Write an entry for the registry of deployments (YAML)");
  command->add_option("--kserve", options->kserve, "Write a folder that Triton and KServe serve")->type_name("DIR");
  add_json(*command, options->json);
  add_onnx_options(*command, options->onnx.how, "--encoder-output", "--encoder-pool");
  const AdvancedGroup onnx(*command, "Models in ONNX's format");
  onnx.add_flag("--prepared-input", options->onnx.prepared_input,
                "Keep the encoder's own input; how images are prepared for it is only described");
  const AdvancedGroup kserve(*command, "Triton and KServe");
  kserve
      .add_option("--storage-uri", options->storage_uri,
                  "Where the folder will be when KServe reads it (default: pvc://models/NAME)")
      ->type_name("URI");
  options->publication.add_to(*command);
  add_threads(*command, options->threads, "Threads");
  add_private_errors_flag(*command);
  command->callback([options] { run(*options); });
}

}  // namespace dppl::cli
