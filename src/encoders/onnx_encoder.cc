#include "encoders/onnx_encoder.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "base/digest.h"
#include "base/file_steps.h"
#include "base/mapped_file.h"
#include "dppl/error.h"
#include "encoders/constants.h"

namespace dppl {
namespace {

// The model's digest; weights in files of their own, which may be many gigabytes, by size and time of change.
std::string identity(const std::string& path) {
  const MappedFile model(path);
  std::vector<std::string> others;
  const std::string name = std::filesystem::path(path).filename().string();
  for (const auto& entry : std::filesystem::directory_iterator(directory_of(path))) {
    const std::string other = entry.path().filename().string();
    struct stat status {};
    if (other == name || !other.starts_with(name) || ::stat(entry.path().c_str(), &status) != 0) continue;
    others.push_back(
        fmt::format("{} {} {}.{}\n", other, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec));
  }
  std::sort(others.begin(), others.end());
  const std::string text = std::accumulate(others.begin(), others.end(), std::string());
  return fmt::format("{} ({})", name, to_hex(digest_of(model.bytes(), std::as_bytes(std::span(text)))));
}

// What preprocessing makes of a picture of noise between two brightnesses; always the same for a seed.
std::vector<float> noise_image(const Preprocessor& preprocessor, uint32_t seed, uint32_t darkest, uint32_t brightest) {
  Image image{preprocessor.seen().width, preprocessor.seen().height, 3, std::vector<uint8_t>(preprocessor.values())};
  for (uint8_t& value : image.pixels) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<uint8_t>(darkest + (seed >> 16) % (brightest - darkest + 1));
  }
  std::vector<float> result(preprocessor.values());
  preprocessor.apply(image, result);
  return result;
}

std::vector<float> neighbour(const Preprocessor& preprocessor, size_t i) {
  const auto seed = static_cast<uint32_t>(i) + kProbeSeed + 1;
  return noise_image(preprocessor, seed, i % 3 == 1 ? 255 : 0, i % 3 == 2 ? 0 : 255);
}

}  // namespace

OnnxEncoder::OnnxEncoder(const std::string& path, const EncoderOptions& options)
    : path_(path),
      session_(path, options.threads),
      input_(find_image_input(session_.inputs(), path)),
      output_(choose_output(session_.outputs(), options.onnx, path)),
      how_(choose_preprocessing(path, session_.metadata(kPreprocessorConfig), options, input_)),
      preprocessor_(how_, input_.planar, path),
      batch_(input_.batch.value_or(std::max<size_t>(options.batch, 1))),
      together_(options.batch == 1 ? 1 : batch_),
      mean_(averages_tokens(options.onnx)),
      dim_(0) {
  // One run tells what a model without fixed shapes gives, and whether it works at all; another one what it makes of
  // the same image in company.
  const std::vector<float> image = noise_image(preprocessor_, kProbeSeed, kProbeDarkest, kProbeBrightest);
  std::vector<float> inputs = image;
  inputs.resize(batch_ * input_size());
  const std::vector<float> rows = run(inputs);
  dim_ = rows.size() / batch_;
  if (together_ > 1 && mixes_images(image, std::span(rows).first(dim_))) take_one_at_a_time();
  description_ = fmt::format("ONNX model {}, output {}{}, {}; {}; ONNX Runtime {}", identity(path), output_.name,
                             output_.shape.size() == 3 ? (mean_ ? " (mean)" : " (cls)") : "", describe_batches(),
                             how_.describe(), ort::Library::get().version());
}

bool OnnxEncoder::mixes_images(const std::vector<float>& image, std::span<const float> alone) const {
  const size_t place = batch_ / 2;
  std::vector<float> inputs;
  for (size_t i = 0; i < batch_; ++i) {
    const std::vector<float> each = i == place ? image : neighbour(preprocessor_, i);
    inputs.insert(inputs.end(), each.begin(), each.end());
  }
  const std::vector<float> rows = run(inputs);
  return rows.size() != batch_ * dim_ || std::memcmp(rows.data() + place * dim_, alone.data(), alone.size_bytes()) != 0;
}

void OnnxEncoder::take_one_at_a_time() {
  note_ = fmt::format(
      "{}: an image's vector changes with the other images of its batch, so images are encoded one at a time, which "
      "is slower",
      path_);
  together_ = 1;
  if (input_.batch) return;
  batch_ = 1;
  dim_ = run(std::vector<float>(input_size())).size();
}

std::string OnnxEncoder::describe_batches() const {
  return fmt::format("{}batches of {}{}", together_ < batch_ ? "one image at a time in " : "", batch_,
                     note_.empty() ? "" : " (it mixes the images of a batch)");
}

std::vector<int64_t> OnnxEncoder::input_shape() const {
  const auto batch = static_cast<int64_t>(batch_), width = static_cast<int64_t>(preprocessor_.seen().width),
             height = static_cast<int64_t>(preprocessor_.seen().height);
  if (input_.planar) return {batch, 3, height, width};
  return {batch, height, width, 3};
}

std::vector<float> OnnxEncoder::run(std::span<const float> inputs) const {
  OnnxSession::Result result = session_.run(input_.tensor, inputs, input_shape(), output_.name);
  const std::vector<int64_t>& shape = result.shape;
  const bool usable = shape.size() >= 2 && shape.size() <= 4 && shape[0] == static_cast<int64_t>(batch_) &&
                      std::all_of(shape.begin(), shape.end(), [](int64_t extent) { return extent > 0; });
  if (!usable) {
    throw InvalidInput(
        fmt::format("{}: its output {} for {} images is not a vector per image (N×D), a vector per token "
                    "(N×T×D) or a map of features; choose another output",
                    path_, OnnxTensor{output_.name, output_.type, shape}.describe(), batch_));
  }
  if (shape.size() == 2) return std::move(result.values);
  std::vector<float> rows;
  pool_tokens(result, rows);
  return rows;
}

// A map of features is pooled over its places as tokens are over the tokens: both are N × places × channels, or with
// channels first.
void OnnxEncoder::pool_tokens(const OnnxSession::Result& result, std::vector<float>& rows) const {
  const std::vector<int64_t>& shape = result.shape;
  const bool map = shape.size() == 4, channels_first = map && input_.planar;
  const auto images = static_cast<size_t>(shape[0]),
             channels = static_cast<size_t>(channels_first ? shape[1] : shape.back());
  const size_t places = result.values.size() / images / channels;
  const size_t used = map || mean_ ? places : 1;
  rows.resize(images * channels);
  for (size_t n = 0; n < images; ++n) {
    const float* image = result.values.data() + n * places * channels;
    for (size_t c = 0; c < channels; ++c) {
      double sum = 0;
      for (size_t p = 0; p < used; ++p) sum += image[channels_first ? c * places + p : p * channels + c];
      rows[n * channels + c] = static_cast<float>(sum / static_cast<double>(used));
    }
  }
}

void OnnxEncoder::encode(std::span<const float> inputs, size_t count, std::span<float> out) {
  assert(inputs.size() == count * input_size() && out.size() == count * dim_);
  std::vector<float> padded;
  for (size_t first = 0; first < count; first += together_) {
    const size_t now = std::min(together_, count - first);
    std::span<const float> part = inputs.subspan(first * input_size(), now * input_size());
    if (now < batch_) {
      padded.assign(part.begin(), part.end());
      padded.resize(batch_ * input_size());
      part = padded;
    }
    const std::vector<float> rows = run(part);
    if (rows.size() != batch_ * dim_) {
      throw InvalidInput(fmt::format("{}: its output {} does not always have {} values", path_, output_.name, dim_));
    }
    std::copy_n(rows.begin(), now * dim_, out.begin() + static_cast<ptrdiff_t>(first * dim_));
  }
}

}  // namespace dppl
