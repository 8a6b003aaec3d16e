#include "support/image_files.h"

#include <png.h>
#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include <jpeglib.h>

namespace dppl::testing {
namespace {

std::string big_endian(uint32_t value, size_t size) {
  std::string bytes;
  for (size_t i = size; i-- > 0;) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

std::string little_endian(uint32_t value, size_t size) {
  const std::string bytes = big_endian(value, size);
  return {bytes.rbegin(), bytes.rend()};
}

std::string write_png(size_t width, size_t height, png_uint_32 format, const void* pixels,
                      const void* colours = nullptr, png_uint_32 colour_count = 0) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = format;
  image.colormap_entries = colour_count;
  png_alloc_size_t size = 0;
  if (!png_image_write_to_memory(&image, nullptr, &size, 0, pixels, 0, colours))
    throw std::runtime_error(image.message);
  std::string file(size, '\0');
  if (!png_image_write_to_memory(&image, file.data(), &size, 0, pixels, 0, colours)) {
    throw std::runtime_error(image.message);
  }
  file.resize(size);
  return file;
}

}  // namespace

Image make_image(size_t width, size_t height, size_t channels, uint8_t (*value)(size_t, size_t, size_t)) {
  Image image{width, height, channels, {}};
  for (size_t y = 0; y < height; ++y) {
    for (size_t x = 0; x < width; ++x) {
      for (size_t c = 0; c < channels; ++c) image.pixels.push_back(value(x, y, c));
    }
  }
  return image;
}

std::string jpeg_bytes(const Image& image) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* file = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &file, &size);
  info.image_width = static_cast<JDIMENSION>(image.width);
  info.image_height = static_cast<JDIMENSION>(image.height);
  info.input_components = static_cast<int>(image.channels);
  info.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : image.channels == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    auto* line = const_cast<JSAMPROW>(image.pixels.data() + info.next_scanline * image.width * image.channels);
    jpeg_write_scanlines(&info, &line, 1);
  }
  jpeg_finish_compress(&info);
  std::string result(reinterpret_cast<const char*>(file), size);
  jpeg_destroy_compress(&info);
  std::free(file);
  return result;
}

std::string with_orientation(const std::string& jpeg, int orientation, bool big) {
  const auto number = big ? big_endian : little_endian;
  std::string exif("Exif\0\0", 6);
  exif += big ? "MM" : "II";
  exif += number(42, 2) + number(8, 4) + number(2, 2);                                  // two entries:
  exif += number(0x0100, 2) + number(4, 2) + number(1, 4) + number(7, 4);               // a width
  exif += number(0x0112, 2) + number(3, 2) + number(1, 4);                              // the orientation
  exif += number(static_cast<uint32_t>(orientation), 2) + number(0, 2) + number(0, 4);  // and the end
  return jpeg.substr(0, 2) + "\xff\xe1" + big_endian(static_cast<uint32_t>(exif.size() + 2), 2) + exif + jpeg.substr(2);
}

std::string png_bytes(const Image& image) {
  constexpr png_uint_32 kFormats[] = {0, PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB, PNG_FORMAT_RGBA};
  return write_png(image.width, image.height, kFormats[image.channels], image.pixels.data());
}

std::string png16_bytes(const std::vector<uint16_t>& pixels, size_t width) {
  return write_png(width, pixels.size() / width, PNG_FORMAT_LINEAR_Y, pixels.data());
}

std::string png_palette_bytes(const Image& numbers, const std::vector<uint8_t>& colours) {
  return write_png(numbers.width, numbers.height, PNG_FORMAT_RGB_COLORMAP, numbers.pixels.data(), colours.data(),
                   static_cast<png_uint_32>(colours.size() / 3));
}

std::string gzip_bytes(std::string_view data) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&stream, data.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

std::string idx_bytes(const std::vector<uint32_t>& shape, std::string_view data) {
  std::string result("\0\0\x08", 3);
  result += static_cast<char>(shape.size());
  for (const uint32_t extent : shape) result += big_endian(extent, 4);
  return result.append(data);
}

}  // namespace dppl::testing
