#include "export/encoder_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/file_steps.h"
#include "base/mapped_file.h"
#include "dppl/error.h"
#include "encoders/onnx_encoder.h"
#include "export/classifier_nodes.h"
#include "export/constants.h"
#include "export/metadata.h"
#include "export/onnx_file.h"
#include "export/preprocessing_nodes.h"

namespace dppl::onnx {
namespace {

namespace fs = std::filesystem;

// ---- Names

// A name of ours that the encoder does not use.
std::string free_name(std::string_view encoder, const std::string& wanted) {
  std::string name = wanted;
  for (int i = 2; mentions(encoder, name); ++i) name = fmt::format("dppl_{}_{}", wanted, i);
  return name;
}

std::string free_prefix(std::string_view encoder) {
  std::string prefix = "dppl/";
  for (int i = 2; encoder.find(prefix) != std::string_view::npos; ++i) prefix = fmt::format("dppl{}/", i);
  return prefix;
}

// ---- Weights in files of their own

bool same_contents(const fs::path& a, const fs::path& b) {
  const MappedFile first(a.string()), second(b.string());
  return std::ranges::equal(first.bytes(), second.bytes());
}

// What must be copied, checked before anything is written.
std::vector<std::pair<fs::path, fs::path>> weights_to_copy(const Outline& outline, const std::string& encoder,
                                                           const std::string& output) {
  std::vector<std::pair<fs::path, fs::path>> copies;
  for (const std::string& name : outline.weight_files) {
    const fs::path relative = fs::path(name).lexically_normal();
    if (relative.empty() || relative.is_absolute() || *relative.begin() == "..") {
      throw InvalidInput(
          fmt::format("{}: its weights are in '{}', outside of its folder; export it again", encoder, name));
    }
    const fs::path from = directory_of(encoder) / relative, to = directory_of(output) / relative;
    if (!fs::exists(from)) {
      throw InvalidInput(fmt::format("{}: its weights are in {}, which is not there; put it beside the encoder",
                                     encoder, from.string()));
    }
    if (fs::weakly_canonical(to) == fs::weakly_canonical(output)) {
      throw InvalidInput(fmt::format("{}: is a file of the encoder's weights; name another file to write", output));
    }
    if (!fs::exists(to)) {
      copies.emplace_back(from, to);
    } else if (!fs::equivalent(from, to) && !same_contents(from, to)) {
      throw InvalidInput(
          fmt::format("{}: is there already and holds something else than the encoder's weights of that "
                      "name; write into another folder",
                      to.string()));
    }
  }
  return copies;
}

void copy_weights(const fs::path& from, const fs::path& to) {
  const MappedFile file(from.string());
  std::error_code error;
  fs::create_directories(to.parent_path(), error);  // what is wrong with it, the next line says
  AtomicFile copy(to.string());
  copy.reserve(file.bytes().size());
  copy.write(file.bytes());
  copy.commit();
}

// ---- From the encoder's output to rows

Value rows_of(Graph& graph, const OnnxTensor& output, bool planar, bool mean) {
  Value rows = output.name;
  if (output.type != Type::float32) rows = graph.cast(rows, Type::float32, "output_values");
  if (output.shape.size() == 4)
    return graph.reduce("ReduceMean", rows, planar ? std::vector<int64_t>{2, 3} : std::vector<int64_t>{1, 2}, false,
                        "map_mean");
  if (output.shape.size() == 2) return rows;
  if (mean) return graph.reduce("ReduceMean", rows, {1}, false, "token_mean");
  const Value first = graph.constant("first_token_index", {}, std::vector<int64_t>{0});
  return graph.node("Gather", {rows, first}, "first_token", {{"axis", int64_t{1}}});
}

void check_output(const OnnxTensor& output, bool planar, const Model& model, const std::string& path) {
  const size_t rank = output.shape.size();
  if (rank < 2 || rank > 4) {
    throw InvalidInput(
        fmt::format("{}: does not say of what shape its output {} is; write the shapes into the file "
                    "(onnx.shape_inference does), or choose another output",
                    path, output.name));
  }
  const int64_t dim = rank == 4 && planar ? output.shape[1] : output.shape.back();
  if (dim > 0) check_dimension(model, static_cast<size_t>(dim), path);
}

// ---- What is told of the preprocessing

std::vector<std::string> steps_in_graph(const Outline& outline, bool prepared_input) {
  if (prepared_input) return {};
  if (outline.opset < kResizingOpset) return {"normalise"};
  return {"resize", "crop", "normalise"};
}

std::string in_words(const Outline& outline, const Preprocessing& how, bool prepared_input) {
  if (prepared_input) return "left to do: " + how.describe();
  if (outline.opset >= kResizingOpset) return "in the graph: " + how.describe();
  return fmt::format("left to do: resizing; all of it is: {}", how.describe());
}

// ---- All of it

class EncoderExport {
 public:
  EncoderExport(const PublishedModel& published, const OnnxExportOptions& options)
      : published_(published),
        options_(options),
        file_(options.encoder),
        bytes_(file_.text()),
        outline_(Outline::read(bytes_, options.encoder)),
        input_(find_image_input(outline_.inputs, options.encoder)),
        output_(choose_output(outline_.outputs, options.how.onnx, options.encoder)),
        how_(choose_preprocessing(options.encoder, outline_.preprocessor_config, options.how, input_)),
        prefix_(free_prefix(bytes_)) {
    check_output(output_, input_.planar, published.model, options.encoder);
    // Refuses what has not been said.
    if (!options.prepared_input) Preprocessor(how_, input_.planar, options.encoder);
  }

  OnnxExported write(const std::string& path) const {
    const auto copies = weights_to_copy(outline_, options_.encoder, path);
    AtomicFile file(path);
    OnnxExported result = write_parts([&](std::string_view part) { file.write(part); });
    for (const auto& [from, to] : copies) {
      copy_weights(from, to);
      result.copied.push_back(to.string());
    }
    file.commit();
    return result;
  }

  RunnableGraph in_memory() const {
    if (!outline_.weight_files.empty()) {
      throw InvalidInput(fmt::format("{}: its weights are in a file of their own, {}; save it as one file",
                                     options_.encoder, outline_.weight_files.front()));
    }
    RunnableGraph graph{.input = free_name(bytes_, "image"),
                        .batch = static_cast<int64_t>(input_.batch.value_or(1)),
                        .resizing = resizing_of(how_),
                        .resizes = outline_.opset >= kResizingOpset};
    const OnnxExported written = write_parts([&](std::string_view part) { graph.bytes += part; });
    graph.outputs = {written.label, written.scores, written.probabilities};
    return graph;
  }

 private:
  using Take = std::function<void(std::string_view)>;

  OnnxExported write_parts(const Take& take) const {
    OnnxExported result{
        .opset = outline_.opset, .preprocessing = in_words(outline_, how_, options_.prepared_input), .note = note()};
    const Take counted = [&](std::string_view part) {
      take(part);
      result.bytes += part.size();
    };
    write_encoder(result, counted);
    write_classifier(result, counted);
    return result;
  }

  void write_encoder(OnnxExported& result, const Take& take) const {
    if (options_.prepared_input) {
      result.input = port_of(own_input());
      return take(bytes_);
    }
    Graph before(outline_.opset, prefix_ + "image/");
    const Tensor image = add_preprocessing(before, how_, input_, free_name(bytes_, "image"), input_.tensor.name);
    result.input = port_of(image);
    take(model_part(before, {}));
    without_input(bytes_, input_.tensor.name, options_.encoder, take);
  }

  Tensor own_input() const {
    Tensor tensor{input_.tensor.name, input_.tensor.type};
    for (const int64_t extent : input_.tensor.shape) tensor.shape.push_back(extent > 0 ? Extent(extent) : Extent("?"));
    return tensor;
  }

  void write_classifier(OnnxExported& result, const Take& take) const {
    result.label = free_name(bytes_, "label");
    result.scores = free_name(bytes_, "scores");
    result.probabilities = free_name(bytes_, "probabilities");
    const Extent batch = input_.batch ? Extent(static_cast<int64_t>(*input_.batch)) : Extent("N");
    Graph behind(outline_.opset, prefix_);
    const Value rows = rows_of(behind, output_, input_.planar, averages_tokens(options_.how.onnx));
    add_classifier(behind, published_.model, rows, batch, {result.label, result.scores, result.probabilities});
    take(model_part(behind, metadata()));
  }

  Metadata metadata() const {
    Metadata metadata = metadata_of(published_);
    metadata.emplace_back("dppl.preprocessing",
                          preprocessing_json(steps_in_graph(outline_, options_.prepared_input),
                                             {{"config", nlohmann::ordered_json::parse(how_.json())}}));
    return metadata;
  }

  std::string note() const {
    if (outline_.opset <= kNewestOpset) return "";
    return fmt::format("{}: uses version {} of ONNX's operators; exports were tried with versions up to {}",
                       options_.encoder, outline_.opset, kNewestOpset);
  }

  const PublishedModel& published_;
  const OnnxExportOptions& options_;
  MappedFile file_;
  std::string_view bytes_;
  Outline outline_;
  ImageInput input_;
  OnnxTensor output_;
  Preprocessing how_;
  std::string prefix_;
};

}  // namespace

void check_dimension(const Model& model, size_t dim, std::string_view encoder) {
  if (dim == model.input_dim()) return;
  throw InvalidInput(
      fmt::format("{}: gives {} values per image, but the model takes rows of {}; name the encoder that "
                  "its rows were made with",
                  encoder, dim, model.input_dim()));
}

void check_options(const OnnxExportOptions& options) {
  if (options.prepared_input || options.how.size || options.how.onnx != OnnxOptions{}) {
    throw InvalidInput(fmt::format("{}: the size, a prepared input and other options are for encoders in ONNX's format",
                                   options.encoder.empty() ? "no encoder" : options.encoder));
  }
}

RunnableGraph graph_with_encoder(const PublishedModel& published, const OnnxExportOptions& options) {
  return EncoderExport(published, options).in_memory();
}

OnnxExported export_with_encoder(const PublishedModel& published, const OnnxExportOptions& options,
                                 const std::string& path) {
  return EncoderExport(published, options).write(path);
}

}  // namespace dppl::onnx
