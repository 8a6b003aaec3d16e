#include "cli/encoder_options.h"

#include "cli/command.h"

namespace dppl::cli {

void add_image_size(CLI::App& command, EncoderOptions& options) {
  command.add_option("--size", options.size, "Resize images to PX × PX pixels")
      ->check(CLI::Range(1, 1 << 14))
      ->type_name("PX");
}

void add_onnx_options(CLI::App& command, EncoderOptions& options, const std::string& output, const std::string& pool) {
  OnnxOptions& onnx = options.onnx;
  const AdvancedGroup group(command, "Models in ONNX's format");
  group.add_option(output, onnx.output, "The output that is the embedding (default: the most likely one)")
      ->type_name("NAME");
  group.add_option(pool, onnx.pool, "For an output with one vector per token: use the class token, or the mean")
      ->check(CLI::IsMember({"cls", "mean"}));
  group.add_option("--crop", onnx.crop, "Resize the shorter side to --size, then keep the middle square of PX")
      ->check(CLI::Range(1, 1 << 14))
      ->type_name("PX");
  group
      .add_option("--normalise", onnx.normalise,
                  "How pixels are normalised (default: as preprocessor_config.json says)")
      ->check(CLI::IsMember({"imagenet", "clip", "half", "unit", "tf"}));
  group
      .add_option("--interpolation", onnx.interpolation,
                  "How images are resized (default: bicubic, unless the model says otherwise)")
      ->check(CLI::IsMember({"bicubic", "bilinear"}));
}

}  // namespace dppl::cli
