#include "export/gradient_nodes.h"

#include <fmt/format.h>

#include "encoders/builtin.h"
#include "export/image_nodes.h"

// What is subtracted, or could be, is computed in the order of src/encoders/gradients.cc, so that zeros stay zeros:
// their roots would not forgive a rounding error. Sums of what is not negative are matrix products.
namespace dppl::onnx {
namespace {

using namespace gradients;

constexpr int64_t kRows = 2, kColumns = 3;  // axes of N × channels × rows × columns

class GradientNodes {
 public:
  explicit GradientNodes(Graph& graph) : graph_(graph) {}

  Value describe(const Value& images) {
    const PixelSize size{kSide, kSide};
    const Value rgb = add_resizing(graph_, images, {size, 0, size, Interpolation::bilinear});
    const Value red = channel(rgb, 0), green = channel(rgb, 1), blue = channel(rgb, 2);
    const Value grey = to_grey(red, green, blue);
    const Value brightness = graph_.node(
        "Sqrt", {graph_.node("Div", {grey, number("brightest", 255)}, "relative_brightness")}, "brightness");
    const Value pictures = concat({brightness, blur(blur(brightness, kColumns, "across"), kRows, "down")}, "pictures");
    const Value tint = tints(concat(
        {graph_.node("Sub", {red, grey}, "redness"), graph_.node("Sub", {blue, grey}, "blueness")}, "tint_pixels"));
    return concat({places(pictures), tint, always(tint)}, "embedding_of_image");
  }

 private:
  Value number(const std::string& name, float value) { return graph_.constant(name, {}, std::vector<float>{value}); }
  Value concat(const std::vector<Value>& parts, const std::string& name) {
    return graph_.node("Concat", parts, name, {{"axis", int64_t{1}}});
  }
  Value transpose(const Value& of, const std::vector<int64_t>& order, const std::string& name) {
    return graph_.node("Transpose", {of}, name, {{"perm", order}});
  }
  Value reshape(const Value& of, const std::vector<int64_t>& shape, const std::string& name) {
    const Value wanted = graph_.constant(name + "_shape", {static_cast<int64_t>(shape.size())}, shape);
    return graph_.node("Reshape", {of, wanted}, name);
  }

  Value channel(const Value& rgb, int64_t index) {
    const std::string name = fmt::format("channel_{}", index);
    return graph_.node("Gather", {rgb, graph_.constant(name + "_index", {1}, std::vector<int64_t>{index})}, name,
                       {{"axis", int64_t{1}}});
  }

  // Integers below 2^24, which float32 holds; a conversion to bytes cuts off what is behind the point.
  Value to_grey(const Value& red, const Value& green, const Value& blue) {
    const auto part = [&](const Value& of, size_t c, const std::string& name) {
      return graph_.node("Mul", {of, number(name + "_weight", static_cast<float>(builtin::kGrey[c]))}, name);
    };
    const Value two = graph_.node("Add", {part(red, 0, "grey_of_red"), part(green, 1, "grey_of_green")}, "grey_of_two");
    const Value all = graph_.node("Add", {two, part(blue, 2, "grey_of_blue")}, "grey_of_all");
    const Value half = graph_.node("Add", {all, number("grey_half", builtin::kGreyUnit / 2)}, "grey_half_up");
    const Value scaled = graph_.node("Div", {half, number("grey_unit", builtin::kGreyUnit)}, "grey_scaled");
    return graph_.cast(graph_.cast(scaled, Type::uint8, "grey_bytes"), Type::float32, "grey");
  }

  // Every pixel is the one `offset` − `back` away.
  Value shift(const Value& picture, int64_t axis, size_t offset, size_t back, const std::string& name) {
    std::vector<int64_t> from(kSide);
    for (size_t at = 0; at < kSide; ++at) from[at] = static_cast<int64_t>(inside(at, offset, back));
    return graph_.node("Gather", {picture, graph_.constant(name + "_from", {kSide}, from)}, name, {{"axis", axis}});
  }

  Value blur(const Value& picture, int64_t axis, const std::string& direction) {
    Value sum;
    for (size_t k = 0; k < kBlur.size(); ++k) {
      const std::string name = fmt::format("blur_{}_{}", direction, k);
      const Value part = graph_.node(
          "Mul", {shift(picture, axis, k, kBlur.size() / 2, name + "_pixels"), number(name + "_weight", kBlur[k])},
          name + "_part");
      sum = k == 0 ? part : graph_.node("Add", {sum, part}, name);
    }
    return sum;
  }

  // The change along an axis, what of it goes up and what goes down.
  struct Change {
    Value up, down, size;
  };
  Change change(const Value& pictures, int64_t axis, const std::string& name) {
    const Value difference = graph_.node(
        "Sub", {shift(pictures, axis, 2, 1, name + "_next"), shift(pictures, axis, 0, 1, name + "_before")}, name);
    const Value opposite = graph_.node("Neg", {difference}, name + "_opposite");
    return {graph_.node("Relu", {difference}, name + "_up"), graph_.node("Relu", {opposite}, name + "_down"),
            graph_.node("Abs", {difference}, name + "_size")};
  }

  // The parts of every gradient along the two directions next to it: what is larger along the axes less what is
  // smaller, and √2 of the smaller along the diagonal. All others are zero.
  std::vector<Value> directions(const Change& right, const Change& down) {
    const Value root = number("root_of_two", kSqrt2);
    const auto axis = [&](const Value& along, const Value& other, int k) {
      const std::string name = fmt::format("direction_{}", k);
      return graph_.node("Relu", {graph_.node("Sub", {along, other}, name + "_excess")}, name);
    };
    const auto diagonal = [&](const Value& one, const Value& other, int k) {
      const std::string name = fmt::format("direction_{}", k);
      return graph_.node("Mul", {graph_.node("Min", {one, other}, name + "_common"), root}, name);
    };
    return {axis(right.up, down.size, 0),     diagonal(right.up, down.up, 1),  axis(down.up, right.size, 2),
            diagonal(right.down, down.up, 3), axis(right.down, down.size, 4),  diagonal(right.down, down.down, 5),
            axis(down.down, right.size, 6),   diagonal(right.up, down.down, 7)};
  }

  Value places(const Value& pictures) {
    std::vector<float> weights(kPlaces * kSide);
    for (size_t place = 0; place < kPlaces; ++place) {
      const Window& window = windows()[place];
      std::copy_n(window.weights.begin(), window.end - window.first,
                  weights.begin() + static_cast<ptrdiff_t>(place * kSide + window.first));
    }
    const Value stack = concat(directions(change(pictures, kColumns, "right"), change(pictures, kRows, "down")),
                               "directions_of_pixels");
    const Value sums = sum_blocks(stack, weights, kPlaces, "places");
    const Value apart =
        reshape(graph_.node("Sqrt", {sums}, "roots"), {-1, kDirections, kScales, kPlaces, kPlaces}, "directions_apart");
    return reshape(transpose(apart, {0, 2, 3, 4, 1}, "directions_last"), {-1, gradients::kDim}, "gradients");
  }

  Value tints(const Value& pixels) {
    using namespace builtin;
    std::vector<float> weights(kTintPlaces * kSide);
    for (size_t i = 0; i < kSide; ++i) weights[i / kTintStep * kSide + i] = 1;
    const Value sums = sum_blocks(pixels, weights, kTintPlaces, "tint");
    const Value means = graph_.node("Div", {sums, number("tint_unit", 255 * kTintStep * kTintStep)}, "tint_means");
    return reshape(transpose(means, {0, 2, 3, 1}, "tints_last"), {-1, kTints}, "tints");
  }

  // weights: places × kSide, for both sides.
  Value sum_blocks(const Value& pictures, const std::vector<float>& weights, size_t count, const std::string& name) {
    const Value down = graph_.constant(name + "_weights", {static_cast<int64_t>(count), kSide}, weights);
    const Value across = transpose(down, {1, 0}, name + "_weights_across");
    return graph_.node("MatMul", {down, graph_.node("MatMul", {pictures, across}, name + "_lines")}, name + "_sums");
  }

  // One for each row of `rows`.
  Value always(const Value& rows) {
    const Value first = graph_.node("Gather", {rows, graph_.constant("first_index", {1}, std::vector<int64_t>{0})},
                                    "first_of_row", {{"axis", int64_t{1}}});
    const Value zero = graph_.node("Mul", {first, number("nothing", 0)}, "nothing_per_row");
    return graph_.node("Add", {zero, number("always_value", builtin::kAlways)}, "always");
  }

  Graph& graph_;
};

}  // namespace

Value add_builtin_encoder(Graph& graph, const Value& images) { return GradientNodes(graph).describe(images); }

}  // namespace dppl::onnx
