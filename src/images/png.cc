#include <fmt/format.h>
#include <png.h>

#include <csetjmp>
#include <cstring>

#include "dppl/error.h"
#include "images/decode.h"
#include "images/orientation.h"

namespace dppl {
namespace {

// libpng reports errors by a call that must not return. It jumps back to the step below that is under way; the steps
// therefore hold no C++ objects of their own.
class PngFile {
 public:
  explicit PngFile(std::span<const std::byte> file) : rest_(file) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, fail, [](png_structp, png_const_charp) {});
    if (png_ == nullptr) throw std::bad_alloc();
    info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
    png_set_read_fn(png_, this, read_bytes);
  }
  ~PngFile() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngFile(const PngFile&) = delete;
  PngFile& operator=(const PngFile&) = delete;

  // Up to the pixels, which are asked for as grey or RGB, with or without alpha, in 8 bits.
  bool open() {
    if (setjmp(jump_) != 0) return false;
    png_read_info(png_, info_);
    png_set_expand(png_);
    png_set_scale_16(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return true;
  }

  size_t width() const { return png_get_image_width(png_, info_); }
  size_t height() const { return png_get_image_height(png_, info_); }
  size_t channels() const { return png_get_channels(png_, info_); }

  // `lines` point to where the lines of the image go. What follows the pixels is read too: the checksum of the pixels
  // stands there, and Exif data may.
  bool read(png_bytepp lines) {
    if (setjmp(jump_) != 0) return false;
    png_read_image(png_, lines);
    png_read_end(png_, info_);
    return true;
  }

  const char* fault() const { return fault_; }

  int orientation() const {
    png_uint_32 size = 0;
    png_bytep exif = nullptr;
    if (png_get_eXIf_1(png_, info_, &size, &exif) == 0) return 1;
    return exif_orientation(std::as_bytes(std::span(exif, size)));
  }

 private:
  [[noreturn]] static void fail(png_structp png, png_const_charp text) {
    auto* self = static_cast<PngFile*>(png_get_error_ptr(png));
    std::strncpy(self->fault_, text, sizeof self->fault_ - 1);
    std::longjmp(self->jump_, 1);
  }

  static void read_bytes(png_structp png, png_bytep out, size_t size) {
    auto* self = static_cast<PngFile*>(png_get_io_ptr(png));
    if (size > self->rest_.size()) png_error(png, "the file is cut short");
    std::memcpy(out, self->rest_.data(), size);
    self->rest_ = self->rest_.subspan(size);
  }

  std::span<const std::byte> rest_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::jmp_buf jump_;
  char fault_[128] = {};
};

// The last of `channels` values of a pixel says how much of it shows; the rest is white.
std::vector<uint8_t> on_white(const std::vector<uint8_t>& pixels, size_t channels) {
  std::vector<uint8_t> result;
  result.reserve(pixels.size() / channels * (channels - 1));
  for (size_t i = 0; i < pixels.size(); i += channels) {
    const int alpha = pixels[i + channels - 1];
    for (size_t c = 0; c + 1 < channels; ++c) {
      result.push_back(static_cast<uint8_t>((pixels[i + c] * alpha + 255 * (255 - alpha) + 127) / 255));
    }
  }
  return result;
}

}  // namespace

Image decode_png(std::span<const std::byte> file, std::string_view name, size_t max_pixels) {
  PngFile png(file);
  const auto refuse_unless = [&](bool good) {
    if (!good) throw InvalidInput(fmt::format("{}: a damaged PNG file: {}; remove or replace it", name, png.fault()));
  };
  refuse_unless(png.open());
  check_image_size(png.width(), png.height(), name, max_pixels);
  Image image{png.width(), png.height(), png.channels(), {}};
  const size_t stride = image.width * image.channels;
  image.pixels.resize(image.height * stride);
  std::vector<png_bytep> lines(image.height);
  for (size_t y = 0; y < image.height; ++y) lines[y] = image.pixels.data() + y * stride;
  refuse_unless(png.read(lines.data()));
  if (image.channels == 2 || image.channels == 4) {
    image.pixels = on_white(image.pixels, image.channels);
    --image.channels;
  }
  return upright(std::move(image), png.orientation());
}

}  // namespace dppl
