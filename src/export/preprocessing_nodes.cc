#include "export/preprocessing_nodes.h"

#include "export/constants.h"

namespace dppl::onnx {
namespace {

Value per_channel(Graph& graph, const std::string& name, const std::array<float, 3>& values) {
  return graph.constant(name, {3, 1, 1}, std::vector<float>(values.begin(), values.end()));
}

Value add_pixels(Graph& graph, const Preprocessing& how, const Tensor& image) {
  graph.input(image);
  if (graph.opset() < kResizingOpset) return add_planes(graph, image.name);
  return add_resizing(graph, image.name, resizing_of(how));
}

// Of any size, or of the encoder's.
Shape image_shape(const Graph& graph, const Preprocessing& how, const Extent& batch) {
  if (graph.opset() >= kResizingOpset) return {batch, "height", "width", "channels"};
  const PixelSize seen = *how.seen();
  return {batch, static_cast<int64_t>(seen.height), static_cast<int64_t>(seen.width), int64_t{3}};
}

}  // namespace

Resizing resizing_of(const Preprocessing& how) {
  const PixelSize seen = *how.seen();
  Resizing resizing{.crop = seen, .interpolation = how.interpolation.value_or(Interpolation::bicubic)};
  if (how.shorter) {
    resizing.shorter = *how.shorter;
  } else {
    resizing.resized = how.resized.value_or(seen);
  }
  return resizing;
}

Tensor add_preprocessing(Graph& graph, const Preprocessing& how, const ImageInput& input, const Value& image,
                         const Value& result) {
  const Extent batch = input.batch ? Extent(static_cast<int64_t>(*input.batch)) : Extent("N");
  const Tensor in{image, Type::uint8, image_shape(graph, how, batch)};
  const Value pixels = add_pixels(graph, how, in);
  const Normalisation& normalisation = *how.normalisation;
  const Value scale = graph.constant("pixel_scale", {}, std::vector<float>{normalisation.scale});
  const Value scaled = graph.node("Mul", {pixels, scale}, "scaled_pixels");
  const Value centred =
      graph.node("Sub", {scaled, per_channel(graph, "pixel_mean", normalisation.mean)}, "centred_pixels");
  Value ready =
      graph.node("Div", {centred, per_channel(graph, "pixel_deviation", normalisation.deviation)}, "normalised");
  if (!input.planar) {
    ready = graph.node("Transpose", {ready}, "channels_last", {{"perm", std::vector<int64_t>{0, 2, 3, 1}}});
  }
  // float32 already, or float16.
  graph.node_named("Cast", {ready}, result, {{"to", static_cast<int64_t>(input.tensor.type)}});
  return in;
}

}  // namespace dppl::onnx
