#include "encoders/builtin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "base/digest.h"
#include "dppl/error.h"
#include "dppl/transform.h"
#include "encoders/gradients.h"
#include "support/expect_error.h"
#include "support/image_files.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::make_image;

std::vector<float> encode(const std::vector<Image>& images, unsigned threads = 1) {
  const auto encoder = builtin_encoder("builtin:hog", threads);
  std::vector<float> inputs(images.size() * encoder->input_size()), out(images.size() * encoder->dim());
  for (size_t i = 0; i < images.size(); ++i) {
    encoder->prepare(images[i], std::span(inputs).subspan(i * encoder->input_size(), encoder->input_size()));
  }
  encoder->encode(inputs, images.size(), out);
  return out;
}

// What a direction has over all places, at one scale.
std::vector<float> directions(const std::vector<float>& row, size_t scale) {
  std::vector<float> sums(gradients::kDirections);
  const size_t size = gradients::kDim / gradients::kScales;
  for (size_t i = 0; i < size; ++i) sums[i % gradients::kDirections] += row[scale * size + i];
  return sums;
}

size_t strongest(const std::vector<float>& values) {
  return static_cast<size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

Image edge_towards(double degrees) {
  Image image{28, 28, 1, {}};
  const double angle = degrees * std::numbers::pi / 180;
  for (int y = 0; y < 28; ++y) {
    for (int x = 0; x < 28; ++x) {
      const double distance = (x - 13.5) * std::cos(angle) + (y - 13.5) * std::sin(angle);
      image.pixels.push_back(static_cast<uint8_t>(std::clamp(128 + 30 * distance, 30.0, 225.0)));
    }
  }
  return image;
}

TEST(BuiltinEncoder, AnEdgeLightsItsDirection) {
  for (size_t k = 0; k < 8; ++k) {
    const std::vector<float> row = encode({edge_towards(45.0 * static_cast<double>(k))});
    for (const size_t scale : {0u, 1u}) {
      const std::vector<float> found = directions(row, scale);
      EXPECT_EQ(strongest(found), k);
      EXPECT_LT(found[(k + 4) % 8], 0.1f * found[k]) << "the other way round";
    }
  }
  // Half way between two directions both have it. In shares of the gradient they do not differ; in squares of the
  // result, which are the shares, neither do they.
  const std::vector<float> between = directions(encode({edge_towards(22.5)}), 0);
  EXPECT_NEAR(between[0], between[1], 0.3f * between[0]);
  EXPECT_GT(between[0], 5 * between[2]);
}

TEST(BuiltinEncoder, AnEdgeLightsItsPlace) {
  const Image image = make_image(28, 28, 1, [](size_t x, size_t, size_t) { return uint8_t(x < 14 ? 0 : 255); });
  const std::vector<float> row = encode({image});
  for (size_t line = 0; line < 7; ++line) {
    std::vector<float> right(7);
    for (size_t place = 0; place < 7; ++place) right[place] = row[(line * 7 + place) * 8];
    EXPECT_EQ(strongest(right), 3u);
    EXPECT_EQ(right[0], 0.f);
    EXPECT_EQ(right[6], 0.f);
    // Two columns with a change of 1, each weighing 7/32: all of the values are known.
    EXPECT_FLOAT_EQ(right[3], std::sqrt(14.f / 32));
  }
}

TEST(BuiltinEncoder, ImagesOfOneColourAreAlike) {
  const auto flat = [](uint8_t value, size_t side) {
    return Image{side, side, 1, std::vector<uint8_t>(side * side, value)};
  };
  const std::vector<float> black = encode({flat(0, 28)});
  EXPECT_EQ(encode({flat(200, 28)}), black);
  EXPECT_EQ(encode({flat(77, 100)}), black);
  // Only the value that is always there: the row is not zero, so it can be used.
  EXPECT_EQ(std::count(black.begin(), black.end(), 0.f), static_cast<ptrdiff_t>(black.size() - 1));
  EXPECT_GT(black.back(), 0.f);
}

TEST(BuiltinEncoder, GreyIsGreyHoweverItIsStored) {
  const Image grey = edge_towards(70);
  Image colour{28, 28, 3, {}};
  for (const uint8_t value : grey.pixels) colour.pixels.insert(colour.pixels.end(), 3, value);
  EXPECT_EQ(encode({colour}), encode({grey}));
  // Red in the upper left quarter shows there, and only there.
  const Image red =
      make_image(28, 28, 3, [](size_t x, size_t y, size_t c) { return uint8_t(c == 0 && x < 7 && y < 7 ? 255 : 0); });
  const std::vector<float> row = encode({red});
  EXPECT_NEAR(row[gradients::kDim], 1 - 0.299f, 0.01f);
  EXPECT_NEAR(row[gradients::kDim + 1], -0.299f, 0.01f);
  EXPECT_EQ(row[gradients::kDim + 2], 0.f);
}

TEST(BuiltinEncoder, ARowDependsOnItsImageAlone) {
  std::vector<Image> images;
  for (int i = 0; i < 75; ++i) images.push_back(edge_towards(7.0 * i));
  const std::vector<float> all = encode(images);
  EXPECT_EQ(encode(images, 3), all);
  const size_t dim = all.size() / images.size();
  for (const size_t i : {size_t{0}, size_t{31}, size_t{74}}) {
    const auto row = all.begin() + static_cast<ptrdiff_t>(i * dim);
    EXPECT_TRUE(std::equal(row, row + static_cast<ptrdiff_t>(dim), encode({images[i]}).begin())) << i;
  }
}

// Embeddings are kept for years, and come from several machines: another digest means another version of the encoder.
TEST(BuiltinEncoder, GivesTheSameBitsEverywhere) {
  const auto value = [](size_t x, size_t y, size_t c) { return static_cast<uint8_t>(37 * x + 11 * y * y + 90 * c); };
  const std::vector<float> rows = encode({make_image(28, 28, 1, value), make_image(45, 33, 3, value)});
  EXPECT_EQ(to_hex(digest_of(std::as_bytes(std::span(rows)))),
            "de28c82aa57623bf63d43c7a00649f6039885648511a18a84f9f15f6a82253a7");
}

TEST(BuiltinEncoder, TakesAnySizeAndRefusesOtherNames) {
  for (const auto& [width, height] : {std::pair<size_t, size_t>{1, 1}, {300, 20}, {29, 500}}) {
    const std::vector<float> row = encode({Image{width, height, 3, std::vector<uint8_t>(width * height * 3, 9)}});
    EXPECT_TRUE(std::all_of(row.begin(), row.end(), [](float value) { return std::isfinite(value); }));
  }
  expect_error<InvalidInput>([] { builtin_encoder("builtin:magic", 1); }, {"builtin:magic", "builtin:hog"});
}

struct Encoded {
  std::vector<float> rows;
  std::vector<int64_t> labels;
  size_t dim;
};

Encoded encode_file(const std::string& path) {
  const auto source = open_images(path);
  std::vector<Image> images;
  for (size_t i = 0; i < source->size(); ++i) images.push_back(source->read(i));
  std::vector<float> rows = encode(images, 2);
  const size_t dim = rows.size() / images.size();
  return {std::move(rows), source->labels().value(), dim};
}

void scale_to_unit(std::span<float> row) {
  double squares = 0;
  for (const float value : row) squares += static_cast<double>(value) * value;
  for (float& value : row) value = static_cast<float>(value / std::sqrt(squares));
}

// Rows [begin, end) after the transform, of unit length.
std::vector<float> whitened(const PublicTransform& transform, const Encoded& data, size_t begin, size_t end) {
  const size_t dim = transform.output_dim();
  std::vector<float> out((end - begin) * dim);
  transform.apply(std::span(data.rows).subspan(begin * data.dim, (end - begin) * data.dim), out);
  for (size_t i = 0; i < end - begin; ++i) scale_to_unit(std::span(out).subspan(i * dim, dim));
  return out;
}

// The transform from half of the training images without their labels, class means from the other half.
double nearest_mean_accuracy(const Encoded& train, const Encoded& test, size_t directions_kept) {
  const size_t half = 30000, classes = 10;
  const std::vector<float> pool_rows(train.rows.begin(), train.rows.begin() + static_cast<ptrdiff_t>(half * train.dim));
  const PublicData pool = PublicData::from_memory(pool_rows, train.dim);
  const PublicTransform transform =
      PublicTransform::compute({TransformSpec::Kind::whiten, directions_kept}, train.dim, pool);
  const size_t dim = transform.output_dim();
  const std::vector<float> rows = whitened(transform, train, half, train.labels.size());
  std::vector<float> means(classes * dim);
  for (size_t i = 0; i < rows.size(); ++i) {
    means[static_cast<size_t>(train.labels[half + i / dim]) * dim + i % dim] += rows[i];
  }
  for (size_t c = 0; c < classes; ++c) scale_to_unit(std::span(means).subspan(c * dim, dim));
  const std::vector<float> queries = whitened(transform, test, 0, test.labels.size());
  size_t right = 0;
  for (size_t i = 0; i < test.labels.size(); ++i) {
    std::vector<float> cosines(classes);
    for (size_t c = 0; c < classes; ++c) {
      for (size_t k = 0; k < dim; ++k) cosines[c] += queries[i * dim + k] * means[c * dim + k];
    }
    right += strongest(cosines) == static_cast<size_t>(test.labels[i]);
  }
  return 100.0 * static_cast<double>(right) / static_cast<double>(test.labels.size());
}

TEST(BuiltinEncoder, SeparatesFashionMnist) {
  const std::filesystem::path folder = "/usr/share/datasets/fashion-mnist";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "Debian's dataset-fashion-mnist is not installed";
  const Encoded train = encode_file(folder / "train-images-idx3-ubyte.gz"),
                test = encode_file(folder / "t10k-images-idx3-ubyte.gz");
  for (const auto& [directions_kept, least] : {std::pair<size_t, double>{64, 83.5}, {256, 86.0}}) {
    const double accuracy = nearest_mean_accuracy(train, test, directions_kept);
    RecordProperty("whiten_" + std::to_string(directions_kept), std::to_string(accuracy));
    EXPECT_GE(accuracy, least) << directions_kept;
  }
}

}  // namespace
}  // namespace dppl
