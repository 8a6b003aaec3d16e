#include "dppl/embed.h"

#include <fmt/format.h>

#include "dppl/error.h"
#include "python/bindings/bindings.h"
#include "python/bindings/convert.h"
#include "python/bindings/interruptible.h"

namespace dppl::python {
namespace {

EncoderOptions encoder_options(const std::map<std::string, std::string>& onnx, const std::optional<size_t>& size,
                               size_t batch, unsigned threads) {
  EncoderOptions options{.size = size, .batch = batch, .threads = threads, .onnx = {}};
  for (const auto& [name, text] : onnx) {
    if (name == "output") {
      options.onnx.output = text;
    } else if (name == "pool") {
      options.onnx.pool = text;
    } else if (name == "crop") {
      options.onnx.crop = std::stoul(text);
    } else if (name == "normalise") {
      options.onnx.normalise = text;
    } else if (name == "interpolation") {
      options.onnx.interpolation = text;
    } else {
      throw InvalidInput(
          fmt::format("'{}' is not an option of encoders in ONNX's format; they have output, pool, "
                      "crop, normalise and interpolation",
                      name));
    }
  }
  return options;
}

// Images of the caller's, rows × height × width × channels.
class ImagesInMemory {
 public:
  explicit ImagesInMemory(const py::array_t<uint8_t>& pixels)
      : data_(pixels.data()),
        count_(static_cast<size_t>(pixels.shape(0))),
        image_{.width = static_cast<size_t>(pixels.shape(2)),
               .height = static_cast<size_t>(pixels.shape(1)),
               .channels = static_cast<size_t>(pixels.shape(3)),
               .pixels = {}} {}

  size_t size() const { return count_; }
  Image read(size_t i) const {
    Image image = image_;
    const size_t bytes = image.width * image.height * image.channels;
    image.pixels.assign(data_ + i * bytes, data_ + (i + 1) * bytes);
    return image;
  }

 private:
  const uint8_t* data_;
  size_t count_;
  Image image_;
};

py::array_t<float> encode(const py::array_t<uint8_t, py::array::c_style>& pixels, const std::string& encoder_name,
                          const std::map<std::string, std::string>& onnx, const std::optional<size_t>& size,
                          size_t batch, unsigned threads, const py::object& progress) {
  const ImagesInMemory images(pixels);
  const auto encoder = open_encoder(encoder_name, encoder_options(onnx, size, batch, threads));
  py::array_t<float> result({static_cast<py::ssize_t>(images.size()), static_cast<py::ssize_t>(encoder->dim())});
  float* out = result.mutable_data();
  unless_interrupted(interruptible(progress, [&](Work& work) {
    std::vector<float> inputs(batch * encoder->input_size());
    for (size_t begin = 0; begin < images.size(); begin += batch) {
      const size_t count = std::min(batch, images.size() - begin);
      for (size_t i = 0; i < count; ++i) {
        encoder->prepare(images.read(begin + i),
                         std::span(inputs).subspan(i * encoder->input_size(), encoder->input_size()));
      }
      encoder->encode(std::span(inputs).first(count * encoder->input_size()), count,
                      {out + begin * encoder->dim(), count * encoder->dim()});
      work.progress(static_cast<double>(begin + count) / static_cast<double>(images.size()));
    }
    return true;
  }));
  return result;
}

py::dict embed_files(const std::string& images, const std::string& label_source, const std::string& encoder_name,
                     const std::map<std::string, std::string>& onnx, const std::optional<size_t>& size,
                     const std::string& output, const std::string& labels, const py::object& classes,
                     const std::string& people, const std::string& people_pattern, bool skip_bad, size_t batch,
                     unsigned threads, const std::optional<std::pair<size_t, size_t>>& shard,
                     const py::object& progress) {
  EmbedOptions options{.output = output,
                       .labels = labels,
                       .classes = {},
                       .people = people,
                       .people_pattern = people_pattern,
                       .rows = {},
                       .batch = batch,
                       .threads = threads,
                       .skip_bad = skip_bad,
                       .progress = {},
                       .note = [](const std::string&) {},
                       .bad_image = [](const std::string&) {}};
  if (!classes.is_none()) options.classes = classes_of(classes);
  if (shard) options.shard = Slice::parse(fmt::format("{}/{}", shard->first, shard->second));
  const EmbedResult done = unless_interrupted(interruptible(progress, [&](Work& work) {
    work.say_when_interrupted("the same call goes on from what is done");
    options.progress = [&](size_t images_done, size_t total) {
      work.progress(static_cast<double>(images_done) / static_cast<double>(total));
    };
    const auto source = open_images(images, {.labels = label_source});
    const auto encoder = open_encoder(encoder_name, encoder_options(onnx, size, batch, threads));
    return embed(*source, *encoder, options);
  }));
  py::dict result;
  result["rows"] = done.rows;
  result["dim"] = done.dim;
  result["skipped"] = done.skipped.size();
  return result;
}

}  // namespace

void bind_embed(py::module_& module) {
  module.def("usual_batch", usual_batch, py::arg("encoder"));
  module.def("encode", encode, py::kw_only(), py::arg("pixels"), py::arg("encoder"), py::arg("onnx"), py::arg("size"),
             py::arg("batch"), py::arg("threads"), py::arg("progress"));
  module.def("embed_files", embed_files, py::kw_only(), py::arg("images"), py::arg("label_source"), py::arg("encoder"),
             py::arg("onnx"), py::arg("size"), py::arg("output"), py::arg("labels"), py::arg("classes"),
             py::arg("people"), py::arg("people_pattern"), py::arg("skip_bad"), py::arg("batch"), py::arg("threads"),
             py::arg("shard") = py::none(), py::arg("progress"));
}

}  // namespace dppl::python
