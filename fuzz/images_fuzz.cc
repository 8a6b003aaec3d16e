#include <cstdlib>

#include "dppl/error.h"
#include "images/decode.h"
#include "images/idx.h"
#include "images/orientation.h"
#include "images/packed.h"

// The first byte chooses the kind of file. Any other bytes are refused with InvalidInput or give whole images.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto file = std::as_bytes(std::span(data, size)).subspan(1);
  constexpr size_t kFewPixels = 1 << 16;
  const auto check = [](const dppl::Image& image) {
    if (image.pixels.size() != image.width * image.height * image.channels) std::abort();
    if (image.pixels.empty() || (image.channels != 1 && image.channels != 3)) std::abort();
  };
  try {
    switch (data[0] % 5) {
      case 0:
        check(dppl::decode_jpeg(file, "fuzz.jpg", kFewPixels));
        check(dppl::decode_jpeg(file, "fuzz.jpg", kFewPixels, {9, 9}));
        break;
      case 1:
        check(dppl::decode_png(file, "fuzz.png", kFewPixels));
        break;
      case 2: {
        const dppl::IdxArray array = dppl::parse_idx(file, nullptr, "fuzz.idx");
        if (array.shape.empty() || (!array.data.empty() && array.data.size() % array.shape.back() != 0)) std::abort();
        break;
      }
      case 3: {
        using dppl::RecordFormat;
        const RecordFormat format{
            .width = 3, .height = 2, .channels = 3, .order = RecordFormat::Order::column_planes, .offset = 1};
        const dppl::PackedImages images(format, {{"fuzz.bin", nullptr, file}}, std::nullopt, std::nullopt);
        for (size_t i = 0; i < images.size(); ++i) check(images.read(i));
        break;
      }
      default: {
        const int orientation = dppl::exif_orientation(file);
        if (orientation < 1 || orientation > 8) std::abort();
        check(dppl::upright({3, 2, 1, std::vector<uint8_t>(6)}, orientation));
      }
    }
  } catch (const dppl::InvalidInput&) {
  }
  return 0;
}
