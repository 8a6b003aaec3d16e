#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "dppl/images.h"
#include "images/limits.h"

namespace dppl {

// The bytes of a whole JPEG or PNG file, distinguished by how they begin, as an upright image. Trusts nothing in them:
// throws InvalidInput, beginning with `name`, for what is damaged, cut short, or larger than `max_pixels`.
//
// JPEG: grey stays grey, all other colours become RGB. PNG: grey or RGB of 8 bits; what is transparent shows white
// behind it. Colour profiles and gamma are ignored, as the usual training pipelines do.
//
// A JPEG that is much larger than `least` is decoded to a half, a quarter or an eighth of its sides: never to less than
// `least` (of the upright image), and only where that keeps its proportions.
Image decode_image(std::span<const std::byte> file, std::string_view name, size_t max_pixels = kMaxPixels,
                   PixelSize least = kFullSize);

Image decode_jpeg(std::span<const std::byte> file, std::string_view name, size_t max_pixels,
                  PixelSize least = kFullSize);
Image decode_png(std::span<const std::byte> file, std::string_view name, size_t max_pixels);

// By its ending: .jpg, .jpeg or .png, in any case.
bool has_image_name(std::string_view path);

}  // namespace dppl
