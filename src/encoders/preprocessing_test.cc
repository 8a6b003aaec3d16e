#include "encoders/preprocessing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dppl/error.h"
#include "images/decode.h"
#include "support/expect_error.h"
#include "support/image_files.h"
#include "support/memory_images.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::picture;

Preprocessing parse(const std::string& json) { return Preprocessing::parse(json, "c.json"); }

// As published beside the models of that name.
TEST(Preprocessing, ReadsPublishedDescriptions) {
  const Preprocessing vit = parse(R"({"do_normalize": true, "do_resize": true, "image_mean": [0.5, 0.5, 0.5],
    "image_std": [0.5, 0.5, 0.5], "resample": 2, "size": 224})");
  EXPECT_EQ(vit.resized, (PixelSize{224, 224}));
  EXPECT_FALSE(vit.crop || vit.shorter);
  EXPECT_EQ(vit.interpolation, Interpolation::bilinear);
  EXPECT_EQ(vit.normalisation->mean[1], 0.5f);
  EXPECT_EQ(vit.normalisation->scale, 1.0f / 255);

  const Preprocessing dinov2 = parse(R"({"crop_size": {"height": 224, "width": 224}, "do_center_crop": true,
    "do_convert_rgb": true, "do_normalize": true, "do_rescale": true, "do_resize": true,
    "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225], "resample": 3,
    "rescale_factor": 0.00392156862745098, "size": {"shortest_edge": 256}})");
  EXPECT_EQ(dinov2.shorter, 256u);
  EXPECT_EQ(dinov2.crop, (PixelSize{224, 224}));
  EXPECT_EQ(dinov2.seen(), dinov2.crop);
  EXPECT_EQ(dinov2.describe(), [&] {
    Preprocessing same = dinov2;
    same.normalisation = Normalisation::named("imagenet");
    return same.describe();
  }());

  const Preprocessing clip = parse(R"({"crop_size": 224, "do_center_crop": true, "do_normalize": true,
    "image_mean": [0.48145466, 0.4578275, 0.40821073], "image_std": [0.26862954, 0.26130258, 0.27577711],
    "resample": 3, "size": 224})");
  EXPECT_EQ(clip.shorter, 224u);
  EXPECT_EQ(clip.crop, (PixelSize{224, 224}));
  EXPECT_EQ(clip.normalisation->describe(), Normalisation::named("clip").describe());

  const Preprocessing convnext = parse(R"({"crop_pct": 0.875, "image_mean": [0, 0, 0], "image_std": [1, 1, 1],
    "size": {"shortest_edge": 224}})");
  EXPECT_EQ(convnext.shorter, 256u);
  EXPECT_EQ(convnext.crop, (PixelSize{224, 224}));
  EXPECT_EQ(parse(R"({"crop_pct": 0.875, "size": {"shortest_edge": 384}})").resized, (PixelSize{384, 384}));

  const Preprocessing efficientnet = parse(R"({"crop_size": {"height": 289, "width": 289}, "do_center_crop": false,
    "do_rescale": true, "rescale_factor": 0.00784313725490196, "rescale_offset": true, "do_normalize": false,
    "size": {"height": 200, "width": 300}})");
  EXPECT_EQ(efficientnet.seen(), (PixelSize{300, 200}));
  EXPECT_EQ(efficientnet.normalisation->mean[2], 1.0f);

  EXPECT_FALSE(parse("{}").seen());
  EXPECT_FALSE(parse("{}").normalisation);
}

TEST(Preprocessing, IsWrittenAsItIsRead) {
  const Normalisation clip = Normalisation::named("clip");
  for (const Preprocessing& how :
       {Preprocessing{}, Preprocessing{PixelSize{160, 120}, {}, {}, Interpolation::bilinear, clip},
        Preprocessing{PixelSize{256, 256}, {}, PixelSize{224, 200}, Interpolation::bicubic, {}},
        Preprocessing{{}, 256, PixelSize{224, 224}, Interpolation::bicubic, Normalisation::named("tf")}}) {
    const Preprocessing read = Preprocessing::parse(how.json(), "config");
    EXPECT_EQ(read.resized, how.resized) << how.json();
    EXPECT_EQ(read.shorter, how.shorter) << how.json();
    EXPECT_EQ(read.crop, how.crop) << how.json();
    EXPECT_EQ(read.interpolation, how.interpolation) << how.json();
    ASSERT_EQ(read.normalisation.has_value(), how.normalisation.has_value()) << how.json();
    if (!how.normalisation) continue;
    EXPECT_EQ(read.normalisation->scale, how.normalisation->scale);
    EXPECT_EQ(read.normalisation->mean, how.normalisation->mean);
    EXPECT_EQ(read.normalisation->deviation, how.normalisation->deviation);
  }
}

TEST(Preprocessing, RefusesDescriptionsThatMakeNoSense) {
  for (const auto& [json, word] : std::vector<std::pair<std::string, std::string>>{
           {"", "not JSON"},
           {"{", "not JSON"},
           {"[1]", "not a JSON object"},
           {R"({"size": 0})", "'size' is not a number of pixels"},
           {R"({"size": 1e9})", "pixels"},
           {R"({"size": "224"})", "'size' is neither"},
           {R"({"size": {"longest_edge": 224, "shortest_edge": 100}})", "'size' is neither"},
           {R"({"size": {"height": 224, "width": -1}})", "'size.width'"},
           {R"({"do_resize": 1})", "'do_resize'"},
           {R"({"do_center_crop": true})", "without a 'crop_size'"},
           {R"({"resample": 1})", "'resample'"},
           {R"({"do_normalize": true})", "without 'image_mean'"},
           {R"({"image_mean": [0, 0, 0]})", "without 'image_std'"},
           {R"({"image_mean": [0, 0], "image_std": [1, 1, 1]})", "'image_mean' is not three numbers"},
           {R"({"image_mean": [0, 0, "0"], "image_std": [1, 1, 1]})", "'image_mean' is not a number"},
           {R"({"image_mean": [0, 0, 1e60], "image_std": [1, 1, 1]})", "'image_mean' is not a number"},
           {R"({"image_mean": [0, 0, 0], "image_std": [1, 0, 1]})", "above zero"},
           {R"({"crop_pct": 0, "size": {"shortest_edge": 10}})", "crop_pct"}}) {
    expect_error<InvalidInput>([&text = json] { parse(text); }, {"c.json: ", word});
  }
  Preprocessing crop;
  crop.shorter = 8;
  crop.crop = PixelSize{9, 9};
  crop.normalisation = Normalisation::named("unit");
  expect_error<InvalidInput>([&] { Preprocessor(crop, true, "m"); }, {"9 × 9 cannot be cut out of 8 × 8"});
  expect_error<InvalidInput>([&] { Normalisation::named("x"); }, {"imagenet, clip, half, unit, tf"});
}

TEST(Preprocessing, NamedNormalisations) {
  Preprocessing how;
  how.resized = PixelSize{1, 1};
  const Image white{1, 1, 3, {255, 255, 255}}, black{1, 1, 1, {0}};
  for (const auto& [name, low, high] :
       {std::tuple{"unit", 0.0f, 1.0f}, std::tuple{"half", -1.0f, 1.0f}, std::tuple{"tf", -127.0f / 128, 1.0f},
        std::tuple{"imagenet", -0.485f / 0.229f, (1 - 0.485f) / 0.229f}}) {
    how.normalisation = Normalisation::named(name);
    float values[3];
    Preprocessor(how, true, "m").apply(white, values);
    EXPECT_NEAR(values[0], high, 1e-6f) << name;
    Preprocessor(how, true, "m").apply(black, values);
    EXPECT_NEAR(values[0], low, 1e-6f) << name;
  }
}

// Every 51st value after Pillow 9.4 and NumPy did the same to the same picture: the shorter side made 20 with
// Image.resize((int(20 · 50 / 33), 20), BICUBIC), crop((7, 2, 23, 18)), (x / 255 − mean) / deviation in float32,
// channels first; and resize((16, 16), BILINEAR) of the first channel, convert("RGB"), (x − 127) / 128, channels last.
TEST(Preprocessing, AgreesWithPillow) {
  Preprocessing how;
  how.shorter = 20;
  how.crop = PixelSize{16, 16};
  how.interpolation = Interpolation::bicubic;
  how.normalisation = Normalisation::named("imagenet");
  const auto expect_values = [](const Preprocessor& preprocessor, const Image& image, std::span<const float> expected) {
    std::vector<float> values(preprocessor.values());
    preprocessor.apply(image, values);
    ASSERT_EQ(values.size(), 768u);
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(values[51 * i], expected[i], 2e-6f) << i;
  };
  const Image colour = picture(50, 33, 3), grey = picture(50, 33, 1);
  const float bicubic[] = {1.084425f, -0.285555f, -0.199931f, 0.125439f, 0.536433f, 0.108314f, -0.127451f, 0.257703f,
                           0.292717f, -1.335434f, -0.775210f, 0.461351f, 0.583355f, 0.740218f, 1.472244f,  1.925403f};
  expect_values(Preprocessor(how, true, "m"), colour, bicubic);

  how = Preprocessing{};
  how.resized = PixelSize{16, 16};
  how.interpolation = Interpolation::bilinear;
  how.normalisation = Normalisation::named("tf");
  const float bilinear[] = {-0.875000f, -0.312500f, 0.156250f,  0.078125f, -0.031250f,
                            0.171875f,  -0.125000f, 0.101562f,  0.085938f, -0.031250f,
                            -0.226562f, -0.203125f, -0.218750f, 0.179688f, -0.023438f};
  expect_values(Preprocessor(how, false, "m"), grey, bilinear);
}

// Shapes and edges of many sizes, soft and sharp, as a photograph has them.
uint8_t scene(size_t x, size_t y, size_t c) {
  const double u = static_cast<double>(x), v = static_cast<double>(y), phase = static_cast<double>(c);
  const double value = 128 + 50 * std::sin(u / 90 + phase) * std::cos(v / 70) + 25 * std::sin(u * v / 9000 + phase) +
                       20 * std::sin(u / 7) + (std::hypot(u - 500, v - 400) < 210 ? 30 : 0);
  return static_cast<uint8_t>(std::clamp(value, 0.0, 255.0));
}

// Whatever the shape, and whether both sides or the shorter one is given: cosine distance below 5e-4 after preparing,
// with a pixel's values around zero.
TEST(Preprocessing, TakesReducedImagesForWholeOnes) {
  Preprocessing stretched, cut;
  stretched.resized = PixelSize{96, 64};
  cut.shorter = 80;
  cut.crop = PixelSize{64, 64};
  cut.interpolation = Interpolation::bilinear;
  for (const PixelSize size : {PixelSize{1024, 768}, PixelSize{1356, 732}, PixelSize{436, 910}}) {
    const std::string file = testing::jpeg_bytes(testing::make_image(size.width, size.height, 3, scene));
    const auto decode = [&](PixelSize least) {
      return decode_image(std::as_bytes(std::span(file)), "x.jpg", kMaxPixels, least);
    };
    const Image whole = decode(kFullSize);
    for (Preprocessing how : {stretched, cut}) {
      how.normalisation = Normalisation::named("half");
      const Preprocessor preprocessor(how, true, "m");
      const Image reduced = decode(preprocessor.least_size());
      EXPECT_LE(2 * reduced.width, whole.width + 1);
      std::vector<float> expected(preprocessor.values()), values(preprocessor.values());
      preprocessor.apply(whole, expected);
      preprocessor.apply(reduced, values);
      double dot = 0, left = 0, right = 0;
      for (size_t i = 0; i < values.size(); ++i) {
        dot += double{values[i]} * double{expected[i]};
        left += double{values[i]} * double{values[i]};
        right += double{expected[i]} * double{expected[i]};
      }
      EXPECT_LT(1 - dot / std::sqrt(left * right), 5e-4) << size.width << " × " << size.height;
    }
  }
}

}  // namespace
}  // namespace dppl
