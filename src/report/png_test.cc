#include "report/png.h"

#include <gtest/gtest.h>

#include "dppl/error.h"
#include "images/decode.h"
#include "support/expect_error.h"

namespace dppl {
namespace {

TEST(Png, ReadsBackTheSamePixels) {
  for (const size_t channels : {1u, 3u}) {
    Image image{7, 5, channels, {}};
    for (size_t i = 0; i < 7 * 5 * channels; ++i) image.pixels.push_back(static_cast<uint8_t>(37 * i));
    const std::string bytes = encode_png(image);
    const Image back = decode_image(std::as_bytes(std::span(bytes)), "test");
    EXPECT_EQ(back.width, 7u);
    EXPECT_EQ(back.height, 5u);
    EXPECT_EQ(back.channels, channels);
    EXPECT_EQ(back.pixels, image.pixels);
  }
}

TEST(Png, RefusesWhatIsNoImage) {
  for (const Image& image : {Image{0, 3, 1, {}}, Image{2, 2, 1, {1, 2, 3}}, Image{1, 1, 4, {1, 2, 3, 4}}}) {
    testing::expect_error<InvalidInput>([&] { encode_png(image); }, {"image"});
  }
}

TEST(Base64, IsTheStandardOneWithPadding) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xfb\xff"), "+/8=");
}

}  // namespace
}  // namespace dppl
