#include "export/image_nodes.h"

#include <cassert>
#include <numeric>

#include "export/constants.h"

// Resizing is two matrix products, across and down, with matrices that nodes compute for the size at hand: operators
// for it do no antialiasing before version 18, and what they promise then is not Pillow's rounding. In float64, where
// sums of integer weights are exact.
namespace dppl::onnx {
namespace {

// As in src/images/resize.cc: weights are integers of this unit.
constexpr double kUnit = 1 << 22;

// One side of the images: pixels first … first + count − 1 of the `to` that `from` becomes.
struct Side {
  std::string name;
  bool is_width;
  Value from, to, first;  // int64
  size_t count;
};

class Resizer {
 public:
  Resizer(Graph& graph, const Resizing& how) : graph_(graph), how_(how) {}

  Value resize(const Value& images) {
    const Value shape = graph_.node("Shape", {images}, "image_shape");
    const Value height = extent(shape, 1, "height"), width = extent(shape, 2, "width");
    const Value shorter = how_.resized ? Value() : least(height, width);
    const PixelSize to = how_.resized.value_or(PixelSize{});
    const Side across = side("across", true, width, shorter, how_.crop.width, to.width);
    const Side down = side("down", false, height, shorter, how_.crop.height, to.height);
    const Value planes = graph_.node("Transpose", {images}, "planes", {{"perm", Axes{0, 3, 1, 2}}});
    const Value values = real(planes, "image_values");
    const Value narrow = rounded(graph_.node("MatMul", {values, weights(across)}, "across_sums"), "across");
    return rounded(graph_.node("MatMul", {weights(down), narrow}, "down_sums"), "down");
  }

 private:
  using Axes = std::vector<int64_t>;

  Value number(const std::string& name, double value) { return graph_.constant(name, {}, std::vector<double>{value}); }
  Value whole(const std::string& name, size_t value) {
    return graph_.constant(name, {}, Axes{static_cast<int64_t>(value)});
  }
  Value real(const Value& of, const std::string& name) { return graph_.cast(of, Type::float64, name); }

  Value extent(const Value& shape, size_t axis, const std::string& name) {
    return graph_.node("Gather", {shape, whole(name + "_axis", axis)}, name, {{"axis", int64_t{0}}});
  }

  // There is no Min of integers before version 12.
  Value least(const Value& height, const Value& width) {
    const Value sides =
        graph_.node("Min", {real(height, "height_real"), real(width, "width_real")}, "shorter_side_real");
    return graph_.cast(sides, Type::int64, "shorter_side");
  }

  Side side(const std::string& name, bool is_width, const Value& from, const Value& shorter, size_t count,
            size_t fixed) {
    const Value to = fixed > 0 ? whole(name + "_to", fixed) : in_proportion(name, from, shorter);
    const Value rest = graph_.node("Sub", {to, whole(name + "_count", count)}, name + "_rest");
    return {name, is_width, from, to, graph_.node("Div", {rest, whole(name + "_two", 2)}, name + "_first"), count};
  }

  Value in_proportion(const std::string& name, const Value& from, const Value& shorter) {
    const Value wanted = whole(name + "_shorter", how_.shorter);
    return graph_.node("Div", {graph_.node("Mul", {from, wanted}, name + "_product"), shorter}, name + "_to");
  }

  // What each pixel of the result takes from a line of the source, as integers of kUnit: from × count for the width and
  // count × from for the height, as the products want them. (ONNX Runtime cannot transpose a factor in float64.)
  Value weights(const Side& side) {
    const std::string& name = side.name;
    const Value from = real(side.from, name + "_from");
    const Value scale = graph_.node("Div", {from, real(side.to, name + "_to_real")}, name + "_scale");
    const Value one = number(name + "_one", 1), half = number(name + "_half", 0.5), zero = number(name + "_zero", 0);
    std::vector<double> counted(side.count);
    std::iota(counted.begin(), counted.end(), 0);
    const auto count = static_cast<int64_t>(side.count);
    const Value offsets = graph_.constant(name + "_offsets", side.is_width ? Axes{1, count} : Axes{count, 1}, counted);
    const Value places = graph_.node("Add", {offsets, real(side.first, name + "_first_real")}, name + "_places");
    const Value centres =
        graph_.node("Mul", {graph_.node("Add", {places, half}, name + "_middles"), scale}, name + "_centres");
    const Value line = graph_.constant(name + "_line", {2}, side.is_width ? Axes{-1, 1} : Axes{1, -1});
    const Value pixels =
        graph_.node("Reshape", {graph_.node("Range", {zero, from, one}, name + "_range"), line}, name + "_pixels");
    const Value distances =
        graph_.node("Add", {graph_.node("Sub", {pixels, centres}, name + "_from_centre"), half}, name + "_distances");
    const Value wide = graph_.node("Max", {scale, one}, name + "_wide");
    const Value narrowed =
        graph_.node("Mul", {distances, graph_.node("Div", {one, wide}, name + "_narrow")}, name + "_arguments");
    const Value filtered = filter(name, graph_.node("Abs", {narrowed}, name + "_absolute"), one, zero);
    const Value total = graph_.reduce("ReduceSum", filtered, {side.is_width ? 0 : 1}, true, name + "_total");
    const Value shares =
        graph_.node("Mul", {filtered, graph_.node("Div", {one, total}, name + "_share")}, name + "_shares");
    return nearest_integers(name, graph_.node("Mul", {shares, number(name + "_unit", kUnit)}, name + "_in_units"),
                            half);
  }

  Value filter(const std::string& name, const Value& x, const Value& one, const Value& zero) {
    if (how_.interpolation == Interpolation::bilinear)
      return graph_.node("Max", {graph_.node("Sub", {one, x}, name + "_slope"), zero}, name + "_filter");
    constexpr double a = -0.5;
    const auto add = [&](const char* op, const Value& left, double right, const std::string& what) {
      return graph_.node(op, {left, number(name + what + "_by", right)}, name + what);
    };
    const auto times = [&](const Value& left, const std::string& what) {
      return graph_.node("Mul", {left, x}, name + what);
    };
    const Value near =
        add("Add", times(times(add("Sub", add("Mul", x, a + 2, "_near1"), a + 3, "_near2"), "_near3"), "_near4"), 1,
            "_near5");
    const Value far =
        add("Mul",
            add("Sub", times(add("Add", times(add("Sub", x, 5, "_far1"), "_far2"), 8, "_far3"), "_far4"), 4, "_far5"),
            a, "_far6");
    const Value is_far = graph_.node("Less", {x, number(name + "_end", 2)}, name + "_is_far");
    const Value is_near = graph_.node("Less", {x, one}, name + "_is_near");
    const Value outer = graph_.node("Where", {is_far, far, zero}, name + "_outer");
    return graph_.node("Where", {is_near, near, outer}, name + "_filter");
  }

  // Halves away from zero; a conversion to integers cuts off what is behind the point.
  Value nearest_integers(const std::string& name, const Value& values, const Value& half) {
    const Value away = graph_.node("Mul", {graph_.node("Sign", {values}, name + "_sign"), half}, name + "_away");
    const Value moved = graph_.node("Add", {values, away}, name + "_moved");
    return real(graph_.cast(moved, Type::int64, name + "_integers"), name + "_weights");
  }

  // Sums of kUnit to bytes, as values.
  Value rounded(const Value& sums, const std::string& name) {
    const Value scaled = graph_.node("Mul", {sums, number(name + "_per_unit", 1 / kUnit)}, name + "_scaled");
    const Value moved = graph_.node("Add", {scaled, number(name + "_half_byte", 0.5)}, name + "_half_up");
    const Value least = graph_.node("Max", {moved, number(name + "_least", 0)}, name + "_from_zero");
    const Value clamped = graph_.node("Min", {least, number(name + "_most", 255)}, name + "_to_255");
    return real(graph_.cast(clamped, Type::uint8, name + "_bytes"), name + "_values");
  }

  Graph& graph_;
  const Resizing& how_;
};

}  // namespace

Value add_resizing(Graph& graph, const Value& images, const Resizing& how) {
  assert(graph.opset() >= kResizingOpset);
  const Value pixels = graph.cast(Resizer(graph, how).resize(images), Type::float32, "pixels");
  const Value colours = graph.constant("colours", {4}, std::vector<int64_t>{1, 3, 1, 1});
  return graph.node("Expand", {pixels, colours}, "rgb");  // a grey image has three equal channels
}

Value add_planes(Graph& graph, const Value& images) {
  const Value values = graph.cast(images, Type::float32, "image_values");
  return graph.node("Transpose", {values}, "rgb", {{"perm", std::vector<int64_t>{0, 3, 1, 2}}});
}

}  // namespace dppl::onnx
