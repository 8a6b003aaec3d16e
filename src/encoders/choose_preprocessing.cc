#include <fmt/format.h>

#include <filesystem>

#include "base/mapped_file.h"
#include "dppl/error.h"
#include "encoders/onnx_encoder.h"

namespace dppl {
namespace {

// What the model's publisher says, in a file beside it or in the model.
Preprocessing published(const std::string& path, const std::string& inside) {
  const std::filesystem::path beside = std::filesystem::path(path).parent_path() / kPreprocessorConfig;
  std::error_code error;
  if (std::filesystem::exists(beside, error)) {
    return Preprocessing::parse(MappedFile(beside.string()).text(), beside.string());
  }
  return inside.empty() ? Preprocessing{}
                        : Preprocessing::parse(inside, path + ": " + kPreprocessorConfig + " in its metadata");
}

void apply_sizes(Preprocessing& how, const EncoderOptions& options) {
  if (options.onnx.crop && !options.size) {
    throw InvalidInput("crop: needs a size, which the shorter side becomes before the middle is cut out");
  }
  if (!options.size) return;
  how.resized.reset();
  how.shorter.reset();
  how.crop.reset();
  if (options.onnx.crop) {
    how.shorter = *options.size;
    how.crop = PixelSize{*options.onnx.crop, *options.onnx.crop};
  } else {
    how.resized = PixelSize{*options.size, *options.size};
  }
}

}  // namespace

Preprocessing choose_preprocessing(const std::string& path, const std::string& metadata, const EncoderOptions& options,
                                   const ImageInput& input) {
  Preprocessing how = published(path, metadata);
  apply_sizes(how, options);
  if (!options.onnx.normalise.empty()) how.normalisation = Normalisation::named(options.onnx.normalise);
  if (options.onnx.interpolation == "bilinear") {
    how.interpolation = Interpolation::bilinear;
  } else if (options.onnx.interpolation == "bicubic") {
    how.interpolation = Interpolation::bicubic;
  } else if (!options.onnx.interpolation.empty()) {
    throw InvalidInput(fmt::format("interpolation: '{}' is neither bicubic nor bilinear", options.onnx.interpolation));
  }
  if (!how.interpolation) how.interpolation = Interpolation::bicubic;
  if (input.fixed && !how.seen()) how.resized = input.fixed;
  if (input.fixed && how.seen() != input.fixed) {
    throw InvalidInput(
        fmt::format("{}: takes images of {} × {} pixels, but the preprocessing is: {}; correct the size or the crop",
                    path, input.fixed->width, input.fixed->height, how.describe()));
  }
  return how;
}

bool averages_tokens(const OnnxOptions& options) {
  if (options.pool.empty() || options.pool == "cls") return false;
  if (options.pool == "mean") return true;
  throw InvalidInput(fmt::format("pool: '{}' is neither cls nor mean", options.pool));
}

}  // namespace dppl
