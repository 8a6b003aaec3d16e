#pragma once

#include <CLI/CLI.hpp>

#include "dppl/embed.h"

// How an encoder is used, for the commands that take one.
namespace dppl::cli {

// --size.
void add_image_size(CLI::App& command, EncoderOptions& options);
// The options of models in ONNX's format, which only --help-all shows. Two have another name where a command has theirs
// already.
void add_onnx_options(CLI::App& command, EncoderOptions& options, const std::string& output = "--output",
                      const std::string& pool = "--pool");

}  // namespace dppl::cli
