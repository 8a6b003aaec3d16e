#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dppl/images.h"

// Files of images as other programs write them.
namespace dppl::testing {

// An image whose pixels are value(x, y, channel).
Image make_image(size_t width, size_t height, size_t channels, uint8_t (*value)(size_t x, size_t y, size_t channel));

// Of 1, 3 or 4 (CMYK) channels, nearly without loss.
std::string jpeg_bytes(const Image& image);
// The same file with Exif data that says how to turn it.
std::string with_orientation(const std::string& jpeg, int orientation, bool big_endian = false);

// Of 1 (grey), 2 (grey and alpha), 3 or 4 (RGBA) channels.
std::string png_bytes(const Image& image);
// Grey, 16 bits a pixel.
std::string png16_bytes(const std::vector<uint16_t>& pixels, size_t width);
// Every pixel is a number of a colour (RGB).
std::string png_palette_bytes(const Image& numbers, const std::vector<uint8_t>& colours);

std::string gzip_bytes(std::string_view data);
// An array of bytes.
std::string idx_bytes(const std::vector<uint32_t>& shape, std::string_view data);

}  // namespace dppl::testing
