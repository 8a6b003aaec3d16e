#pragma once

#include <cstddef>
#include <string_view>

#include "images/constants.h"

namespace dppl {

// Throws InvalidInput, beginning with `name`, for an image without pixels or with too many.
void check_image_size(size_t width, size_t height, std::string_view name, size_t max_pixels = kMaxPixels);

}  // namespace dppl
