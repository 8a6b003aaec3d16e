#include "report/png.h"

#include <fmt/format.h>
#include <png.h>
#include <sodium.h>

#include "dppl/error.h"

namespace dppl {
namespace {

png_image header_of(const Image& image) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = image.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  return header;
}

// Writes into `memory`, or only sets `size` when that is null.
void write(const Image& image, void* memory, png_alloc_size_t& size) {
  png_image header = header_of(image);
  if (png_image_write_to_memory(&header, memory, &size, 0, image.pixels.data(), 0, nullptr) == 0)
    throw InvalidInput(fmt::format("image of {} × {} pixels: cannot be written as PNG: {}", image.width, image.height,
                                   header.message));
}

}  // namespace

std::string encode_png(const Image& image) {
  const bool shaped = (image.channels == 1 || image.channels == 3) && image.width > 0 && image.height > 0 &&
                      image.pixels.size() == image.width * image.height * image.channels;
  if (!shaped) throw InvalidInput("image: is neither grey nor RGB, or its pixels do not fit its size");
  png_alloc_size_t size = 0;
  write(image, nullptr, size);
  std::string bytes(size, '\0');
  write(image, bytes.data(), size);
  bytes.resize(size);
  return bytes;
}

std::string base64(std::string_view bytes) {
  std::string text(sodium_base64_encoded_len(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                    sodium_base64_VARIANT_ORIGINAL);
  text.pop_back();  // the terminator, which sodium counts
  return text;
}

std::string png_data_uri(const Image& image) { return "data:image/png;base64," + base64(encode_png(image)); }

}  // namespace dppl
