#pragma once

#include <cstddef>
#include <string_view>

namespace dppl {

// An image of more pixels is refused before memory is taken for it: a small file can claim to be a large image.
inline constexpr size_t kMaxPixels = size_t{1} << 28;

// Throws InvalidInput, beginning with `name`, for an image without pixels or with too many.
void check_image_size(size_t width, size_t height, std::string_view name, size_t max_pixels = kMaxPixels);

}  // namespace dppl
