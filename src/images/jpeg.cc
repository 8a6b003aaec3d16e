#include <fmt/format.h>

#include <csetjmp>
#include <cstdio>
#include <string>

// After <cstdio>: jpeglib.h needs FILE and does not include it; jerror.h needs jpeglib.h.
#include <jpeglib.h>

#include <jerror.h>

#include "dppl/error.h"
#include "images/constants.h"
#include "images/decode.h"
#include "images/orientation.h"

namespace dppl {
namespace {

// libjpeg reports errors by a call that must not return. It jumps back to the step below that is under way; the steps
// therefore hold no C++ objects of their own.
class JpegFile {
 public:
  explicit JpegFile(std::span<const std::byte> file) {
    info_.err = jpeg_std_error(&errors_);
    errors_.error_exit = fail;
    errors_.emit_message = warn;
    info_.client_data = this;
    opened_ = open(file);
  }
  ~JpegFile() { jpeg_destroy_decompress(&info_); }
  JpegFile(const JpegFile&) = delete;
  JpegFile& operator=(const JpegFile&) = delete;

  bool opened() const { return opened_; }
  const jpeg_decompress_struct& info() const { return info_; }

  // Asks for grey, RGB or CMYK, whichever is nearest, and for the smallest size that is not below `least` (as stored);
  // false where there is no such way.
  bool start(PixelSize least) {
    if (setjmp(jump_) != 0) return false;
    reduce(least);
    const J_COLOR_SPACE stored = info_.jpeg_color_space;
    info_.out_color_space = stored == JCS_GRAYSCALE                    ? JCS_GRAYSCALE
                            : stored == JCS_CMYK || stored == JCS_YCCK ? JCS_CMYK
                                                                       : JCS_RGB;
    return jpeg_start_decompress(&info_) != 0;
  }

  // `out` holds the whole image, output_components bytes per pixel.
  bool read(uint8_t* out) {
    if (setjmp(jump_) != 0) return false;
    const size_t stride = static_cast<size_t>(info_.output_width) * static_cast<size_t>(info_.output_components);
    while (info_.output_scanline < info_.output_height) {
      JSAMPROW line = out + info_.output_scanline * stride;
      jpeg_read_scanlines(&info_, &line, 1);
    }
    return true;
  }

  std::string fault() {
    if (own_fault_ != nullptr) return own_fault_;
    char text[JMSG_LENGTH_MAX];
    errors_.format_message(reinterpret_cast<j_common_ptr>(&info_), text);
    return text;
  }

  int orientation() const {
    constexpr std::string_view kExif("Exif\0\0", 6);
    for (jpeg_saved_marker_ptr marker = info_.marker_list; marker != nullptr; marker = marker->next) {
      const std::span<const std::byte> data = std::as_bytes(std::span(marker->data, marker->data_length));
      if (std::string_view(reinterpret_cast<const char*>(data.data()), data.size()).starts_with(kExif)) {
        return exif_orientation(data.subspan(kExif.size()));
      }
    }
    return 1;
  }

 private:
  bool open(std::span<const std::byte> file) {
    if (setjmp(jump_) != 0) return false;
    jpeg_create_decompress(&info_);
    progress_.progress_monitor = count_scans;
    info_.progress = &progress_;
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(file.data()), file.size());
    jpeg_save_markers(&info_, JPEG_APP0 + 1, 0xffff);
    return jpeg_read_header(&info_, TRUE) == JPEG_HEADER_OK;
  }

  // Other eighths are possible, but have no fast transform: they cost more than the whole image.
  void reduce(PixelSize least) {
    info_.scale_denom = 8;
    for (info_.scale_num = 1; info_.scale_num < 8; info_.scale_num *= 2) {
      jpeg_calc_output_dimensions(&info_);
      if (suffices(info_.output_width, info_.image_width, least.width) &&
          suffices(info_.output_height, info_.image_height, least.height)) {
        return;
      }
    }
  }

  // A side that ends in a part of a pixel gets a whole one, which stretches the image: by no more than a 16th of a
  // pixel of the size that is asked for. Encoders see the difference sooner than people.
  bool suffices(size_t reduced, size_t stored, size_t least) const {
    const size_t covered = 8 * reduced, exact = info_.scale_num * stored;
    return reduced >= least && 16 * least * (covered - exact) <= exact;
  }

  [[noreturn]] static void fail(j_common_ptr info) {
    std::longjmp(static_cast<JpegFile*>(info->client_data)->jump_, 1);
  }

  // Other damage costs a few pixels, and every viewer shows the image; one that ends early is not the image.
  static void warn(j_common_ptr info, int level) {
    if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) fail(info);
  }

  static void count_scans(j_common_ptr info) {
    auto* self = static_cast<JpegFile*>(info->client_data);
    if (self->info_.input_scan_number <= kMaxScans) return;
    self->own_fault_ = "more scans than an image needs";
    fail(info);
  }

  jpeg_decompress_struct info_{};
  jpeg_error_mgr errors_{};
  jpeg_progress_mgr progress_{};
  std::jmp_buf jump_;
  const char* own_fault_ = nullptr;
  bool opened_ = false;
};

// Adobe's programs, which write nearly all of these files, store how much light is left and not how much ink there is.
std::vector<uint8_t> rgb_of_cmyk(const std::vector<uint8_t>& cmyk, bool inverted) {
  std::vector<uint8_t> rgb;
  rgb.reserve(cmyk.size() / 4 * 3);
  for (size_t i = 0; i + 3 < cmyk.size(); i += 4) {
    const auto light = [&](size_t c) { return inverted ? cmyk[i + c] : 255 - cmyk[i + c]; };
    for (size_t c = 0; c < 3; ++c) rgb.push_back(static_cast<uint8_t>((light(c) * light(3) + 127) / 255));
  }
  return rgb;
}

}  // namespace

Image decode_jpeg(std::span<const std::byte> file, std::string_view name, size_t max_pixels, PixelSize least) {
  JpegFile jpeg(file);
  const auto refuse_unless = [&](bool good) {
    if (!good) throw InvalidInput(fmt::format("{}: a damaged JPEG file: {}; remove or replace it", name, jpeg.fault()));
  };
  refuse_unless(jpeg.opened());
  check_image_size(jpeg.info().image_width, jpeg.info().image_height, name, max_pixels);
  const int orientation = jpeg.orientation();
  if (turns_on_its_side(orientation)) std::swap(least.width, least.height);
  refuse_unless(jpeg.start(least));
  const auto channels = static_cast<size_t>(jpeg.info().output_components);
  Image image{jpeg.info().output_width, jpeg.info().output_height, channels, {}};
  image.pixels.resize(image.width * image.height * channels);
  refuse_unless(jpeg.read(image.pixels.data()));
  if (channels == 4) {
    image.pixels = rgb_of_cmyk(image.pixels, jpeg.info().saw_Adobe_marker != 0);
    image.channels = 3;
  }
  return upright(std::move(image), orientation);
}

}  // namespace dppl
