#include "report/thumbnail.h"

#include <algorithm>

#include "images/resize.h"

namespace dppl {

Image thumbnail(const Image& image, size_t most) {
  const size_t longest = std::max(image.width, image.height);
  if (longest <= most) return image;
  const auto scaled = [&](size_t side) { return std::max<size_t>(side * most / longest, 1); };
  return resize(image, scaled(image.width), scaled(image.height), Interpolation::bilinear);
}

}  // namespace dppl
