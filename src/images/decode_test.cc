#include "images/decode.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "dppl/error.h"
#include "images/orientation.h"
#include "support/expect_error.h"
#include "support/image_files.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::jpeg_bytes;
using testing::make_image;
using testing::png_bytes;
using testing::with_orientation;

Image decode(const std::string& file, size_t max_pixels = kMaxPixels, PixelSize least = kFullSize) {
  return decode_image(std::as_bytes(std::span(file)), "x.jpg", max_pixels, least);
}

PixelSize size_of(const Image& image) { return {image.width, image.height}; }

uint8_t slope(size_t x, size_t y, size_t c) { return static_cast<uint8_t>(5 * x + 3 * y + 40 * c); }

void expect_near(const Image& image, const Image& expected, int tolerance) {
  ASSERT_EQ(image.width, expected.width);
  ASSERT_EQ(image.height, expected.height);
  ASSERT_EQ(image.channels, expected.channels);
  ASSERT_EQ(image.pixels.size(), expected.pixels.size());
  for (size_t i = 0; i < image.pixels.size(); ++i) ASSERT_NEAR(image.pixels[i], expected.pixels[i], tolerance) << i;
}

TEST(Decode, ReadsJpegOfGreyAndColour) {
  for (const size_t channels : {1u, 3u}) {
    const Image image = make_image(21, 14, channels, slope);
    expect_near(decode(jpeg_bytes(image)), image, 6);
  }
}

// Inks as Adobe stores them: 255 is none. Half of cyan and no black takes half of the red away.
TEST(Decode, MakesRgbOfCmyk) {
  const Image inks = make_image(8, 8, 4, [](size_t, size_t, size_t c) { return uint8_t(c == 0 ? 128 : 255); });
  const Image colour = make_image(8, 8, 3, [](size_t, size_t, size_t c) { return uint8_t(c == 0 ? 128 : 255); });
  expect_near(decode(jpeg_bytes(inks)), colour, 2);
}

TEST(Decode, ReadsPngAsItIs) {
  for (const size_t channels : {1u, 3u}) {
    const Image image = make_image(19, 6, channels, slope);
    EXPECT_EQ(decode(png_bytes(image)).pixels, image.pixels);
  }
}

TEST(Decode, ShowsWhiteBehindWhatIsTransparent) {
  EXPECT_EQ(decode(png_bytes({3, 1, 2, {100, 255, 100, 0, 100, 51}})).pixels, (std::vector<uint8_t>{100, 255, 224}));
  const Image image = decode(png_bytes({2, 1, 4, {10, 20, 30, 255, 10, 20, 30, 0}}));
  EXPECT_EQ(image.channels, 3u);
  EXPECT_EQ(image.pixels, (std::vector<uint8_t>{10, 20, 30, 255, 255, 255}));
}

TEST(Decode, ReadsPngOfOtherDepths) {
  // 16 bits to 8 by rounding; the gamma that this file states is not applied.
  const Image deep = decode(testing::png16_bytes({0, 257, 128 * 257 + 100, 65535}, 2));
  EXPECT_EQ(deep.channels, 1u);
  EXPECT_EQ(deep.pixels, (std::vector<uint8_t>{0, 1, 128, 255}));
  const Image palette = decode(testing::png_palette_bytes({3, 1, 1, {1, 0, 1}}, {9, 8, 7, 200, 100, 50}));
  EXPECT_EQ(palette.channels, 3u);
  EXPECT_EQ(palette.pixels, (std::vector<uint8_t>{200, 100, 50, 9, 8, 7, 200, 100, 50}));
}

// The stored corners, letter by letter, as they should be seen: left and right above, then below.
TEST(Decode, TurnsEveryOrientationUpright) {
  const Image stored = make_image(32, 16, 1, [](size_t x, size_t y, size_t) {
    return static_cast<uint8_t>((x < 16 ? 20 : 90) + (y < 8 ? 0 : 140));
  });
  const auto letter = [](const Image& image, size_t x, size_t y) {
    const int value = image.pixels[y * image.width + x];
    return value < 55 ? 'a' : value < 125 ? 'b' : value < 195 ? 'c' : 'd';
  };
  const char* const seen[] = {"abcd", "badc", "dcba", "cdab", "acbd", "cadb", "dbca", "bdac"};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    for (const bool big_endian : {false, true}) {
      const Image image = decode(with_orientation(jpeg_bytes(stored), orientation, big_endian));
      ASSERT_EQ(image.width, orientation < 5 ? 32u : 16u);
      ASSERT_EQ(image.height, orientation < 5 ? 16u : 32u);
      std::string corners;
      for (const size_t y : {size_t{1}, image.height - 2}) {
        for (const size_t x : {size_t{1}, image.width - 2}) corners += letter(image, x, y);
      }
      EXPECT_EQ(corners, seen[orientation - 1]) << orientation;
    }
  }
  EXPECT_EQ(decode(with_orientation(jpeg_bytes(stored), 9)).width, 32u);
}

TEST(Decode, ReducesJpegToNoLessThanAsked) {
  for (const size_t channels : {1u, 3u, 4u}) {
    const std::string file = jpeg_bytes(make_image(208, 104, channels, slope));
    const Image whole = decode(file);
    for (size_t width = 1; width <= 210; width += 11) {
      for (size_t height = 1; height <= 110; height += 7) {
        const Image image = decode(file, kMaxPixels, {width, height});
        EXPECT_GE(image.width, std::min<size_t>(width, 208));
        EXPECT_GE(image.height, std::min<size_t>(height, 104));
        EXPECT_EQ(image.channels, whole.channels);
        EXPECT_EQ(image.pixels.size(), image.width * image.height * image.channels);
        if (width > 104 || height > 52) {
          EXPECT_EQ(image.pixels, whole.pixels);
        }
      }
    }
  }
  const std::string colour = jpeg_bytes(make_image(208, 104, 3, slope));
  EXPECT_EQ(size_of(decode(colour, kMaxPixels, {105, 20})), (PixelSize{208, 104}));
  EXPECT_EQ(size_of(decode(colour, kMaxPixels, {104, 52})), (PixelSize{104, 52}));
  EXPECT_EQ(size_of(decode(colour, kMaxPixels, {50, 20})), (PixelSize{52, 26}));
  EXPECT_EQ(size_of(decode(colour, kMaxPixels, {0, 0})), (PixelSize{26, 13}));
  expect_error<InvalidInput>([&] { decode(colour, 20000, {1, 1}); }, {"208 × 104"});  // as stored
}

// A quarter of 203 pixels is 50.75: not 51 if 50 are wanted, but near enough if only 12 are.
TEST(Decode, ReducesNothingOutOfShape) {
  const std::string file = jpeg_bytes(make_image(203, 208, 1, slope));
  EXPECT_EQ(size_of(decode(file, kMaxPixels, {50, 50})), (PixelSize{203, 208}));
  EXPECT_EQ(size_of(decode(file, kMaxPixels, {12, 12})), (PixelSize{51, 52}));
}

TEST(Decode, LeavesPngAsItIs) {
  const std::string file = png_bytes(make_image(203, 101, 3, slope));
  EXPECT_EQ(decode(file, kMaxPixels, {1, 1}).pixels, decode(file).pixels);
}

// What is asked for is the upright image.
TEST(Decode, ReducesWhatIsTurned) {
  const std::string stored = jpeg_bytes(make_image(256, 128, 1, [](size_t x, size_t y, size_t) {
    return static_cast<uint8_t>((x < 128 ? 20 : 90) + (y < 64 ? 0 : 140));
  }));
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const std::string file = with_orientation(stored, orientation);
    const Image whole = decode(file),
                half = decode(file, kMaxPixels, orientation < 5 ? PixelSize{100, 60} : PixelSize{60, 100});
    ASSERT_EQ(size_of(half), (PixelSize{whole.width / 2, whole.height / 2}));
    for (size_t y = 2; y < half.height; y += half.height / 2) {
      for (size_t x = 2; x < half.width; x += half.width / 2) {
        EXPECT_NEAR(half.pixels[y * half.width + x], whole.pixels[2 * y * whole.width + 2 * x], 3) << orientation;
      }
    }
    const PixelSize across = orientation < 5 ? PixelSize{60, 100} : PixelSize{100, 60};
    EXPECT_EQ(decode(file, kMaxPixels, across).pixels, whole.pixels) << orientation;
  }
}

TEST(Decode, TakesDamagedExifForUpright) {
  const std::string file = with_orientation("\xff\xd8", 6);
  const std::span<const std::byte> exif = std::as_bytes(std::span(file)).subspan(12);
  EXPECT_EQ(exif_orientation(exif), 6);
  for (size_t size = 0; size < 31; ++size) EXPECT_EQ(exif_orientation(exif.first(size)), 1) << size;
  for (size_t i = 0; i < 8; ++i) {
    std::vector<std::byte> damaged(exif.begin(), exif.end());
    damaged[i] ^= std::byte{0xff};
    EXPECT_EQ(exif_orientation(damaged), 1) << i;
  }
}

TEST(Decode, RefusesFilesThatAreCutShort) {
  const Image image = make_image(40, 30, 3, slope);
  for (const std::string& file : {jpeg_bytes(image), png_bytes(image)}) {
    for (size_t size = 0; size < file.size(); size += size < 40 ? 1 : 13) {
      expect_error<InvalidInput>([&] { decode(file.substr(0, size)); }, {"x.jpg: "});
    }
  }
}

TEST(Decode, SurvivesDamagedFiles) {
  const Image image = make_image(24, 17, 3, slope);
  size_t refused = 0;
  for (const std::string& file : {jpeg_bytes(image), png_bytes(image)}) {
    for (size_t i = 3; i < file.size(); ++i) {
      std::string damaged = file;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << i % 8));
      try {
        const Image result = decode(damaged, 1 << 20, i % 2 == 0 ? kFullSize : PixelSize{3, 3});
        EXPECT_EQ(result.pixels.size(), result.width * result.height * result.channels);
      } catch (const InvalidInput&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100u);
}

TEST(Decode, RefusesWhatIsTooLargeOrNoImage) {
  const Image image = make_image(40, 30, 1, slope);
  for (const std::string& file : {jpeg_bytes(image), png_bytes(image)}) {
    EXPECT_EQ(decode(file, 1200).width, 40u);
    expect_error<InvalidInput>([&] { decode(file, 1199); }, {"x.jpg: ", "40 × 30", "at most 1199"});
  }
  expect_error<InvalidInput>([] { decode("GIF89a"); }, {"x.jpg: ", "neither a JPEG nor a PNG"});
  expect_error<InvalidInput>([] { decode(""); }, {"x.jpg: is empty"});
}

TEST(Decode, KnowsImagesByTheirNames) {
  for (const char* name : {"a.jpg", "b/c.JPEG", "x.y.Png"}) EXPECT_TRUE(has_image_name(name)) << name;
  for (const char* name : {"a.gif", "jpg", "a.jpg.txt", "", "a.png/b"}) EXPECT_FALSE(has_image_name(name)) << name;
}

}  // namespace
}  // namespace dppl
