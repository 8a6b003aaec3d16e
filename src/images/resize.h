#pragma once

#include "dppl/images.h"

namespace dppl {

enum class Interpolation { bilinear, bicubic };

// Bit for bit what Pillow's Image.resize gives for 8-bit images, on which the usual encoders were trained: the filter
// is widened by the factor of reduction (antialiasing), across first and then down, rounded after each. Bicubic has
// a = −0.5. Throws InvalidInput for a size of zero or beyond kMaxPixels.
Image resize(const Image& image, size_t width, size_t height, Interpolation interpolation);

// The middle of an image; where the margin is odd, the larger part is cut off at the right or the bottom. Throws
// InvalidInput when the image is smaller.
Image centre_crop(const Image& image, size_t width, size_t height);

// Three equal channels for a grey image; a colour image stays as it is.
Image to_rgb(Image image);

}  // namespace dppl
