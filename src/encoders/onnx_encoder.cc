#include "encoders/onnx_encoder.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <numeric>

#include "dppl/error.h"
#include "embeddings/digest.h"
#include "embeddings/mapped_file.h"

namespace dppl {
namespace {

constexpr const char* kConfig = "preprocessor_config.json";

// What the model's publisher says, in a file beside it or in the model.
Preprocessing published(const std::string& path, const OnnxSession& session) {
  const std::filesystem::path beside = std::filesystem::path(path).parent_path() / kConfig;
  std::error_code error;
  if (std::filesystem::exists(beside, error)) {
    const MappedFile file(beside.string());
    const auto bytes = file.bytes();
    return Preprocessing::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, beside.string());
  }
  const std::string inside = session.metadata(kConfig);
  return inside.empty() ? Preprocessing{} : Preprocessing::parse(inside, path + ": " + kConfig + " in its metadata");
}

void apply_sizes(Preprocessing& how, const EncoderOptions& options) {
  if (options.onnx.crop && !options.size) {
    throw InvalidInput("--crop: needs --size, which the shorter side becomes before the middle is cut out");
  }
  if (!options.size) return;
  how.resized.reset();
  how.shorter.reset();
  how.crop.reset();
  if (options.onnx.crop) {
    how.shorter = *options.size;
    how.crop = PixelSize{*options.onnx.crop, *options.onnx.crop};
  } else {
    how.resized = PixelSize{*options.size, *options.size};
  }
}

Preprocessing complete(Preprocessing how, const EncoderOptions& options, const ImageInput& input,
                       const std::string& path) {
  apply_sizes(how, options);
  if (!options.onnx.normalise.empty()) how.normalisation = Normalisation::named(options.onnx.normalise);
  if (options.onnx.interpolation == "bilinear") {
    how.interpolation = Interpolation::bilinear;
  } else if (options.onnx.interpolation == "bicubic") {
    how.interpolation = Interpolation::bicubic;
  } else if (!options.onnx.interpolation.empty()) {
    throw InvalidInput(
        fmt::format("--interpolation: '{}' is neither bicubic nor bilinear", options.onnx.interpolation));
  }
  if (!how.interpolation) how.interpolation = Interpolation::bicubic;
  if (input.fixed && !how.seen()) how.resized = input.fixed;
  if (input.fixed && how.seen() != input.fixed) {
    throw InvalidInput(
        fmt::format("{}: takes images of {} × {} pixels, but the preprocessing is: {}; correct --size or --crop", path,
                    input.fixed->width, input.fixed->height, how.describe()));
  }
  return how;
}

bool wants_mean(const std::string& pool) {
  if (pool.empty() || pool == "cls") return false;
  if (pool == "mean") return true;
  throw InvalidInput(fmt::format("--pool: '{}' is neither cls nor mean", pool));
}

// The model's digest; weights in files of their own, which may be many gigabytes, by size and time of change.
std::string identity(const std::string& path) {
  const MappedFile model(path);
  std::vector<std::string> others;
  const std::string name = std::filesystem::path(path).filename().string();
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (const auto& entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder)) {
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

}  // namespace

OnnxEncoder::OnnxEncoder(const std::string& path, const EncoderOptions& options)
    : path_(path),
      session_(path, options.threads),
      input_(find_image_input(session_.inputs(), path)),
      output_(choose_output(session_.outputs(), options.onnx, path)),
      how_(complete(published(path, session_), options, input_, path)),
      preprocessor_(how_, input_.planar, path),
      batch_(input_.batch.value_or(std::max<size_t>(options.batch, 1))),
      mean_(wants_mean(options.onnx.pool)),
      dim_(0) {
  // One run tells what a model without fixed shapes gives, and whether it works at all.
  const std::vector<float> rows = run(std::vector<float>(batch_ * input_size()));
  dim_ = rows.size() / batch_;
  description_ = fmt::format("ONNX model {}, output {}{}, batches of {}; {}; ONNX Runtime {}", identity(path),
                             output_.name, output_.shape.size() == 3 ? (mean_ ? " (mean)" : " (cls)") : "", batch_,
                             how_.describe(), ort::Library::get().version());
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
        fmt::format("{}: its output {} for {} images is not a vector an image (N×D), a vector a token "
                    "(N×T×D) or a map of features; choose another with --output",
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
  for (size_t first = 0; first < count; first += batch_) {
    const size_t now = std::min(batch_, count - first);
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
