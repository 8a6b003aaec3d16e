#include "images/resize.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dppl/error.h"
#include "images/limits.h"
#include "kernels/cpu_testing.h"
#include "support/expect_error.h"

namespace dppl {
namespace {

using testing::expect_error;

Image grey(size_t width, size_t height, std::vector<uint8_t> pixels) { return {width, height, 1, std::move(pixels)}; }

constexpr Interpolation kBoth[] = {Interpolation::bilinear, Interpolation::bicubic};

TEST(Resize, AConstantImageStaysConstant) {
  for (const Interpolation interpolation : kBoth) {
    for (const auto& [width, height] : {std::pair<size_t, size_t>{1, 1}, {3, 17}, {28, 28}, {40, 5}, {64, 64}}) {
      const Image image = resize({28, 31, 3, std::vector<uint8_t>(28 * 31 * 3, 201)}, width, height, interpolation);
      EXPECT_EQ(image.width, width);
      EXPECT_EQ(image.height, height);
      EXPECT_EQ(image.pixels, std::vector<uint8_t>(width * height * 3, 201));
    }
  }
}

TEST(Resize, ARampStaysARampAwayFromTheBorder) {
  std::vector<uint8_t> ramp(64);
  for (size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<uint8_t>(4 * i);
  for (const Interpolation interpolation : kBoth) {
    const Image half = resize(grey(64, 1, ramp), 32, 1, interpolation);
    for (size_t i = 2; i < 30; ++i) EXPECT_EQ(half.pixels[i], 8 * i + 2) << i;
    const Image twice = resize(grey(1, 64, ramp), 1, 128, interpolation);  // down as well as across
    for (size_t i = 4; i < 124; ++i) EXPECT_NEAR(twice.pixels[i], 2.0 * static_cast<double>(i) - 1, 0.51) << i;
  }
}

// By 2, bilinear: weights 1, 3, 3, 1 of 8; at the border what is left of them: 3, 3, 1 of 7.
TEST(Resize, HalvingTakesTheWeightsOfTheWidenedTriangle) {
  const Image image = resize(grey(6, 1, {70, 0, 0, 80, 0, 0}), 3, 1, Interpolation::bilinear);
  EXPECT_EQ(image.pixels, (std::vector<uint8_t>{30, 30, 11}));  // 210/7, 3·80/8, 80/7
}

// Twice as large, bicubic: at a distance of 1/4 the weights are those of a = −0.5.
TEST(Resize, DoublingTakesTheCubic) {
  const Image image = resize(grey(5, 1, {0, 0, 128, 0, 0}), 10, 1, Interpolation::bicubic);
  const auto weight = [](double x) { return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : ((-0.5 * x + 2.5) * x - 4) * x + 2; };
  EXPECT_EQ(image.pixels[4], std::lround(128 * weight(0.25)));
  EXPECT_EQ(image.pixels[3], std::lround(128 * weight(0.75)));
  EXPECT_EQ(image.pixels[2], 0);  // negative weights are cut off at black
}

// Made with Pillow 9.4: Image.fromarray(x).resize((5, 4), filter), x[y][x][c] = (37·x + 11·y² + 90·c) mod 256.
TEST(Resize, EqualsPillow) {
  Image image{9, 11, 3, {}};
  for (size_t y = 0; y < 11; ++y) {
    for (size_t x = 0; x < 9; ++x) {
      for (size_t c = 0; c < 3; ++c) image.pixels.push_back(static_cast<uint8_t>(37 * x + 11 * y * y + 90 * c));
    }
  }
  const std::vector<uint8_t> bilinear = {45,  133, 164, 103, 174, 95,  166, 151, 96,  143, 75,  161, 55,  133, 170,
                                         122, 119, 113, 155, 117, 114, 141, 106, 154, 116, 137, 139, 124, 128, 120,
                                         113, 114, 151, 139, 128, 121, 127, 105, 135, 153, 137, 126, 123, 116, 158,
                                         134, 160, 85,  147, 122, 125, 111, 105, 142, 98,  157, 115, 138, 169, 89};
  const std::vector<uint8_t> bicubic = {35,  131, 172, 102, 185, 88,  175, 154, 88,  149, 63,  165, 41,  139, 173,
                                        124, 122, 106, 162, 113, 111, 142, 102, 161, 110, 140, 142, 127, 130, 112,
                                        109, 108, 164, 138, 131, 118, 125, 105, 133, 164, 136, 122, 118, 111, 169,
                                        137, 165, 75,  148, 118, 129, 109, 102, 146, 88,  161, 116, 145, 171, 80};
  on_every_level([&](CpuLevel) {
    EXPECT_EQ(resize(image, 5, 4, Interpolation::bilinear).pixels, bilinear);
    EXPECT_EQ(resize(image, 5, 4, Interpolation::bicubic).pixels, bicubic);
  });
}

TEST(Resize, RefusesSizesThatCannotBe) {
  const Image image = grey(2, 2, {1, 2, 3, 4});
  for (const auto& to : {std::pair<size_t, size_t>{0, 2}, {2, 0}, {kMaxPixels, 2}, {2, kMaxPixels}}) {
    expect_error<InvalidInput>([&] { resize(image, to.first, to.second, Interpolation::bilinear); },
                               {"resize: an image"});
  }
  expect_error<InvalidInput>([&] { centre_crop(image, 3, 1); }, {"3 × 1", "2 × 2"});
}

TEST(Resize, CropsTheMiddleAndColoursGrey) {
  const Image image = grey(4, 3, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  EXPECT_EQ(centre_crop(image, 2, 1).pixels, (std::vector<uint8_t>{5, 6}));
  EXPECT_EQ(centre_crop(image, 1, 2).pixels, (std::vector<uint8_t>{1, 5}));
  const Image colour = to_rgb(centre_crop(image, 2, 1));
  EXPECT_EQ(colour.channels, 3u);
  EXPECT_EQ(colour.pixels, (std::vector<uint8_t>{5, 5, 5, 6, 6, 6}));
  EXPECT_EQ(centre_crop(colour, 1, 1).pixels, (std::vector<uint8_t>{5, 5, 5}));
  EXPECT_EQ(to_rgb(colour).pixels, colour.pixels);
}

}  // namespace
}  // namespace dppl
