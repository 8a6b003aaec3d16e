#include "dppl/embed.h"

#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <numeric>

#include "cli/command.h"
#include "cli/encoder_options.h"
#include "cli/interrupt.h"
#include "cli/paths.h"
#include "cli/progress.h"
#include "dppl/invalid_record.h"

namespace dppl::cli {
namespace {

struct Options {
  std::string images, encoder, rows, classes, shard, dtype = "float32";
  std::optional<size_t> batch;
  ImageOptions source;
  EncoderOptions encoding;
  EmbedOptions embed;
  bool list_classes = false, json = false;
};

std::optional<size_t> row_number(std::string_view text, size_t otherwise) {
  return text.empty() ? otherwise : whole_number(text);
}

// FIRST:END as Python slices it, or a file.
std::vector<uint64_t> parse_rows(const std::string& text, size_t limit) {
  if (text.ends_with(".npy")) return read_rows(text, limit);
  const size_t colon = std::min(text.find(':'), text.size());
  const auto begin = row_number(std::string_view(text).substr(0, colon), 0);
  const auto end = row_number(std::string_view(text).substr(std::min(colon + 1, text.size())), limit);
  if (colon == text.size() || !begin || !end) {
    throw InvalidInput(fmt::format("--rows: '{}' is neither a .npy of row numbers nor FIRST:END, e.g. 0:1000", text));
  }
  if (*begin >= std::min(*end, limit)) {
    throw InvalidInput(fmt::format("--rows: '{}' holds none of the {} images", text, limit));
  }
  std::vector<uint64_t> rows(std::min(*end, limit) - *begin);
  std::iota(rows.begin(), rows.end(), *begin);
  return rows;
}

void print(const EmbedResult& result, const Options& options, const Encoder& encoder, double seconds) {
  const double rate = static_cast<double>(result.images - result.resumed_at) / seconds;
  const std::string& classes = options.classes.empty() ? result.classes : options.classes;
  if (options.json) {
    nlohmann::ordered_json json{{"output", options.embed.output},
                                {"images", result.images},
                                {"rows", result.rows},
                                {"dim", result.dim},
                                {"dtype", options.dtype},
                                {"encoder", encoder.description()},
                                {"skipped", result.skipped.size()},
                                {"resumed_at", result.resumed_at},
                                {"seconds", seconds},
                                {"images_per_second", rate}};
    if (private_errors_shown()) json["skipped_images"] = result.skipped;
    if (!options.embed.labels.empty()) json["labels"] = options.embed.labels;
    if (!options.embed.people.empty()) json["people"] = options.embed.people;
    if (!classes.empty()) json["classes"] = classes;
    print_json(json);
    return;
  }
  std::cout << fmt::format("{}: {} rows of {} values ({}), {:.1f} images/s\n", options.embed.output, result.rows,
                           result.dim, options.dtype, rate);
  if (!result.skipped.empty()) {
    std::cout << fmt::format("skipped    {} images{}\n", result.skipped.size(),
                             private_errors_shown() ? "" : " (--show-private-errors tells which)");
  }
  if (!options.embed.labels.empty()) std::cout << fmt::format("labels     {}\n", options.embed.labels);
  if (!options.embed.people.empty()) std::cout << fmt::format("people     {}\n", options.embed.people);
  if (!classes.empty()) std::cout << fmt::format("classes    {}\n", classes);
  std::cout << fmt::format("encoder    {}\n", encoder.description());
}

// The names that labels have, on standard output only: a file that fit would take must be the curator's own.
void list_classes(const Options& options) {
  const std::optional<NamedLabels> labels = open_images(options.images, options.source)->named_labels();
  if (!labels) {
    throw InvalidInput(fmt::format("{}: has no labels that are names; --classes N declares the class numbers 0 … N − 1",
                                   options.images));
  }
  try {
    ClassSet::named(labels->names);
  } catch (const InvalidInput& error) {
    throw InvalidRecord(
        fmt::format("{}: a label cannot be the name of a class; rename the folder or change the label", options.images),
        error.what());
  }
  if (options.json) {
    print_json({{"names", labels->names}});
  } else {
    for (const std::string& name : labels->names) std::cout << name << "\n";
  }
  std::cerr
      << "dppl: these names come from the data. You may declare them (--classes FILE) only if everyone would have "
         "written the same list without seeing any single record: remove names that a single record could have "
         "caused, and add classes that could occur\n";
}

// The option that helps against a refusal, for people who do not know the command line well.
std::string advice(const Options& options, const ImageSource& source, bool bad_images) {
  if (bad_images && !options.embed.skip_bad) return " (--skip-bad)";
  if (!options.embed.labels.empty() && !source.labels()) {
    if (!source.named_labels()) return " (--label-source FILE)";
    if (options.classes.empty()) {
      return " (--classes FILE, one name per line; 'dppl embed IMAGES --list-classes' shows the names that there are)";
    }
  }
  const bool needs_people = !options.embed.people.empty() && options.embed.people_pattern.empty();
  return needs_people && !source.people() ? " (--people-from-path REGEX)" : "";
}

EmbedResult embed_with_advice(const Options& options, const ImageSource& source, Encoder& encoder) {
  EmbedOptions embedding = options.embed;
  bool bad_images = false;
  embedding.bad_image = [&](const std::string& what) {
    bad_images = true;
    if (private_errors_shown()) embedding.note(what);
  };
  try {
    return embed(source, encoder, embedding);
  } catch (const InvalidRecord& error) {
    throw InvalidRecord(error.what() + advice(options, source, bad_images), error.private_detail());
  } catch (const InvalidInput& error) {
    throw InvalidInput(error.what() + advice(options, source, bad_images));
  }
}

void run(Options options) {
  EmbedOptions& embedding = options.embed;
  if (!embedding.people.empty() && !embedding.people.ends_with(".txt")) {
    throw InvalidInput(fmt::format("--people: '{}' does not end in .txt; ids are written as text", embedding.people));
  }
  // Unfinished rows stand beside the output under these names.
  const std::string partial = embedding.output + ".partial";
  const std::string record = options.shard.empty() ? "" : embedding.output + ".shard";
  refuse_overwriting({embedding.output, embedding.labels, embedding.people, partial, partial + "-state", record},
                     {options.images, options.encoder, options.source.labels, options.rows, options.classes});
  if (!options.shard.empty()) embedding.shard = Slice::parse(options.shard);
  if (!options.classes.empty()) embedding.classes = ClassSet::parse(options.classes);
  const std::unique_ptr<ImageSource> source = open_images(options.images, options.source);
  if (source->size() == 0) throw InvalidInput(fmt::format("{}: holds no images", options.images));
  if (!options.rows.empty()) embedding.rows = parse_rows(options.rows, source->size());
  options.encoding.batch = embedding.batch = options.batch.value_or(usual_batch(options.encoder));
  const std::unique_ptr<Encoder> encoder = open_encoder(options.encoder, options.encoding);

  embedding.threads = options.encoding.threads;
  embedding.dtype = options.dtype == "float16" ? DType::float16 : DType::float32;
  std::optional<ProgressBar> bar;
  embedding.progress = [&bar](size_t done, size_t total) {
    if (!bar) bar.emplace("embed", "images", total);
    bar->update(static_cast<double>(done) / static_cast<double>(total));
  };
  embedding.note = [](const std::string& what) { std::cerr << "dppl: " << what << "\n"; };
  say_when_interrupted(
      fmt::format("rows done so far stay in {}.partial; the same command continues from there", embedding.output));
  const auto begin = std::chrono::steady_clock::now();
  const EmbedResult result = embed_with_advice(options, *source, *encoder);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  bar.reset();
  print(result, options, *encoder, seconds);
}

}  // namespace

void add_embed(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "embed", "Turn images into embeddings with a public encoder",
                  "  dppl embed photos/ --encoder dinov2/model.onnx -o x.npy --labels y.npy --classes names.txt\n"
                  "photos/ has one folder per class; dinov2/ has model.onnx and its preprocessor_config.json.\n"
                  "names.txt declares the classes, one name per line; 'dppl fit' takes the same file. It must not\n"
                  "depend on any single image. Writes x.npy (one row per image) and y.npy (class numbers, counted\n"
                  "from 0 in the order of names.txt).\n"
                  "  dppl embed photos/ --list-classes\n"
                  "shows the names of the folders, for the person who writes names.txt.\n"
                  "  dppl embed photos/ --encoder lite4.onnx --size 160 --normalise tf -o x.npy\n"
                  "for a model without a description; scripts/setup-onnx.sh installs ONNX Runtime.\n"
                  "  dppl embed photos/ --encoder builtin:hog -o x.npy\n"
                  "needs no model. If a run is interrupted or killed, the same command continues it.");
  command
      ->add_option("images", options->images,
                   "A folder, a list (.csv), IDX (also .gz), CIFAR, STL-10 or a .npy of images")
      ->required()
      ->type_name("IMAGES");
  CLI::Option* encoder =
      command->add_option("--encoder", options->encoder, "A built-in encoder, or a model (.onnx) (required)")
          ->type_name("NAME|model.onnx");
  CLI::Option* output =
      command->add_option("-o", options->embed.output, "Embeddings to write (required)")->type_name("X.npy");
  CLI::Option* labels = command
                            ->add_option("--labels", options->embed.labels,
                                         "Labels to write beside them (int64); for CIFAR and STL-10 also the data "
                                         "set's own class names (….classes.txt)")
                            ->type_name("Y.npy");
  command
      ->add_option("--classes", options->classes,
                   "The declared classes: a number, or a file with one name per line; required if labels are names")
      ->type_name("N|NAMES.txt")
      ->needs(labels);
  CLI::Option* people =
      command
          ->add_option("--people", options->embed.people,
                       "Ids of people to write beside them, one per line, if a person may have several images; from a "
                       "list's column 'person', or from paths (--people-from-path)")
          ->type_name("IDS.txt");
  command
      ->add_flag("--list-classes", options->list_classes,
                 "Only show the names that labels have, for the person who declares the classes")
      ->excludes(encoder, output, labels, people);
  add_image_size(*command, options->encoding);
  add_json(*command, options->json);
  add_onnx_options(*command, options->encoding);
  const AdvancedGroup input(*command, "Images and labels");
  input
      .add_option("--label-source", options->source.labels,
                  "The file with the labels, if they are in a file of their own")
      ->type_name("FILE");
  input
      .add_option("--people-from-path", options->embed.people_pattern,
                  "Take the ids of --people from the images' paths: what this regular expression (ECMAScript) matches, "
                  "or its first group")
      ->type_name("REGEX")
      ->needs(people);
  input.add_option("--rows", options->rows, "Only these images: FIRST:END, or a .npy of row numbers")
      ->option_text("FIRST:END|ROWS.npy");
  input
      .add_option(
          "--shard", options->shard,
          "Only the I-th of N parts of the images, I from 1 to N, for several processes or machines: 'dppl pool "
          "build' takes the files of all parts together. What is done already is left alone (X.npy.shard knows)")
      ->type_name("I/N");
  input.add_flag("--skip-bad", options->embed.skip_bad, "Continue without images that cannot be read");
  const AdvancedGroup other(*command, kOtherOptions);
  other.add_option("--dtype", options->dtype, "float16 halves the size of the file")
      ->check(CLI::IsMember({"float32", "float16"}))
      ->capture_default_str();
  other
      .add_option("--batch", options->batch,
                  "Images that are encoded together (default: 16 for a model, 256 for a built-in encoder); with 1 no "
                  "image can affect another, whatever the model does")
      ->check(CLI::Range(1, 4096));
  other
      .add_option("--checkpoint", options->embed.checkpoint_seconds,
                  "At most this many seconds of work are lost if the run is killed")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_threads(*command, options->encoding.threads, "Threads of the encoder, and as many that read images");
  add_private_errors_flag(*command);
  command->callback([options, command] {
    if (options->list_classes) return list_classes(*options);
    for (const char* needed : {"--encoder", "-o"}) {
      if (command->count(needed) == 0) throw CLI::RequiredError(needed);
    }
    run(*options);
  });
}

}  // namespace dppl::cli
