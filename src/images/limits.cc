#include "images/limits.h"

#include <fmt/format.h>

#include "dppl/error.h"

namespace dppl {

void check_image_size(size_t width, size_t height, std::string_view name, size_t max_pixels) {
  if (width == 0 || height == 0) throw InvalidInput(fmt::format("{}: an image without pixels", name));
  if (width > max_pixels / height) {
    throw InvalidInput(fmt::format("{}: an image of {} × {} pixels; at most {} pixels are read, make it smaller", name,
                                   width, height, max_pixels));
  }
}

}  // namespace dppl
