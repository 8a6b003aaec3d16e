#include "images/orientation.h"

#include <algorithm>

namespace dppl {
namespace {

// Reads numbers of a TIFF file's byte order; what lies beyond the end is zero.
class Tiff {
 public:
  explicit Tiff(std::span<const std::byte> bytes) : bytes_(bytes), little_(byte(0) == 'I') {}

  size_t number(size_t offset, size_t size) const {
    size_t value = 0;
    for (size_t i = 0; i < size; ++i) value = value << 8 | byte(offset + (little_ ? size - 1 - i : i));
    return value;
  }
  bool has_mark() const { return byte(0) == byte(1) && (byte(0) == 'I' || byte(0) == 'M') && number(2, 2) == 42; }

 private:
  size_t byte(size_t offset) const { return offset < bytes_.size() ? static_cast<size_t>(bytes_[offset]) : 0; }

  std::span<const std::byte> bytes_;
  bool little_;
};

}  // namespace

int exif_orientation(std::span<const std::byte> exif) {
  constexpr size_t kOrientation = 0x0112, kShort = 3, kEntrySize = 12;
  const Tiff tiff(exif);
  if (!tiff.has_mark()) return 1;
  const size_t directory = tiff.number(4, 4), entries = tiff.number(directory, 2);
  for (size_t i = 0; i < entries; ++i) {
    const size_t entry = directory + 2 + i * kEntrySize;
    if (tiff.number(entry, 2) != kOrientation || tiff.number(entry + 2, 2) != kShort) continue;
    const size_t value = tiff.number(entry + 8, 2);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

Image upright(Image image, int orientation) {
  if (orientation == 1) return image;
  // Pixel (x, y) of the result lies at (x, y) of the source, or at (y, x), counted from the right or from the bottom.
  const bool swap = turns_on_its_side(orientation),
             from_right = (orientation & 3) == 3 || orientation == 2 || orientation == 8,
             from_bottom = (orientation & 3) == 3 || orientation == 4 || orientation == 6;
  const size_t channels = image.channels;
  Image result{swap ? image.height : image.width, swap ? image.width : image.height, channels, {}};
  result.pixels.resize(image.pixels.size());
  auto out = result.pixels.begin();
  for (size_t y = 0; y < result.height; ++y) {
    for (size_t x = 0; x < result.width; ++x) {
      const size_t right = swap ? y : x, down = swap ? x : y;
      const size_t column = from_right ? image.width - 1 - right : right;
      const size_t row = from_bottom ? image.height - 1 - down : down;
      const auto pixel = image.pixels.begin() + static_cast<ptrdiff_t>((row * image.width + column) * channels);
      out = std::copy_n(pixel, channels, out);
    }
  }
  return result;
}

}  // namespace dppl
