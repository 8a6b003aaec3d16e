#pragma once

#include "dppl/images.h"

namespace dppl {

// The image, or a smaller one of the same shape where a side is longer than `most` pixels.
Image thumbnail(const Image& image, size_t most);

}  // namespace dppl
