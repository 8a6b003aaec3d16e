#pragma once

#include <string>

#include "dppl/images.h"

namespace dppl {

// The image as a PNG file's bytes; grey or RGB, without loss.
std::string encode_png(const Image& image);

std::string base64(std::string_view bytes);
// What an <img> takes as its source without loading anything: "data:image/png;base64,…".
std::string png_data_uri(const Image& image);

}  // namespace dppl
