#pragma once

#include <cstddef>
#include <span>

#include "dppl/images.h"

namespace dppl {

// What the Orientation tag of Exif data says, 1 … 8; 1 (upright) where there is no such tag or the data is damaged.
// `exif` begins with the byte order mark of TIFF.
int exif_orientation(std::span<const std::byte> exif);

// Whether its width is the height of the image as stored.
inline bool turns_on_its_side(int orientation) { return orientation >= 5; }

// Turns and mirrors an image as its orientation asks.
Image upright(Image image, int orientation);

}  // namespace dppl
