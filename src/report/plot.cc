#include "report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "report/log_axis.h"

namespace dppl {
namespace {

constexpr double kWidth = 380, kHeight = 300, kLeft = 50, kRight = 14, kTop = 34, kBottom = 46;
constexpr double kInnerWidth = kWidth - kLeft - kRight, kInnerHeight = kHeight - kTop - kBottom;
constexpr double kMarker = 4.5;

std::string number(double value) { return fmt::format("{:.2f}", value); }

// ---- Markers: shape and colour repeat after different numbers of series, so that pairs stay distinct for long.

constexpr size_t kColours = 6;
std::string colour_class(size_t series) { return fmt::format("series-{}", series % kColours); }

std::string polygon(double x, double y, std::initializer_list<std::pair<double, double>> corners) {
  std::string result;
  for (const auto& [dx, dy] : corners)
    result += fmt::format("{:.2f},{:.2f} ", x + 1.25 * kMarker * dx, y + 1.25 * kMarker * dy);
  result.pop_back();
  return result;
}

void draw_marker(HtmlWriter& out, size_t series, double x, double y) {
  switch (series % 5) {
    case 0:
      return out.leaf("circle", {{"cx", number(x)}, {"cy", number(y)}, {"r", number(kMarker)}});
    case 1:
      return out.leaf("rect", {{"x", number(x - kMarker)},
                               {"y", number(y - kMarker)},
                               {"width", number(2 * kMarker)},
                               {"height", number(2 * kMarker)}});
    case 2:
      return out.leaf("polygon", {{"points", polygon(x, y, {{0, -1}, {1, 0.8}, {-1, 0.8}})}});
    case 3:
      return out.leaf("polygon", {{"points", polygon(x, y, {{0, -1.1}, {1.1, 0}, {0, 1.1}, {-1.1, 0}})}});
    default:
      return out.leaf("polygon", {{"points", polygon(x, y, {{0, 1}, {1, -0.8}, {-1, -0.8}})}});
  }
}

// ---- Axes

struct Scale {
  LogAxis axis;
  double x(double value) const { return kLeft + kInnerWidth * axis.position(value); }
  static double y(double fraction) { return kTop + kInnerHeight * (1 - fraction); }
};

LogAxis axis_of(const std::vector<PlotSeries>& series) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const PlotSeries& one : series) {
    for (const PlotPoint& point : one.points) {
      least = std::min(least, point.x);
      most = std::max(most, point.x);
    }
  }
  return most > 0 ? LogAxis(least, most) : LogAxis(0.1, 1);
}

void draw_line(HtmlWriter& out, double x1, double y1, double x2, double y2) {
  out.leaf("line", {{"x1", number(x1)}, {"y1", number(y1)}, {"x2", number(x2)}, {"y2", number(y2)}});
}

void draw_text(HtmlWriter& out, double x, double y, std::string anchor, std::string_view text, std::string style = "") {
  out.text_element(
      "text", text,
      {{"x", number(x)}, {"y", number(y)}, {"text-anchor", std::move(anchor)}, {"class", std::move(style)}});
}

void draw_axes(HtmlWriter& out, const Plot& plot, const Scale& scale) {
  const double bottom = Scale::y(0), right = kLeft + kInnerWidth;
  out.element("g", {{"class", "grid"}}, [&] {
    for (const LogAxis::Tick& tick : scale.axis.ticks())
      draw_line(out, scale.x(tick.value), kTop, scale.x(tick.value), bottom);
    for (int percent = 0; percent <= 100; percent += 20)
      draw_line(out, kLeft, Scale::y(percent / 100.0), right, Scale::y(percent / 100.0));
  });
  out.element("g", {{"class", "labels"}}, [&] {
    for (const LogAxis::Tick& tick : scale.axis.ticks())
      draw_text(out, scale.x(tick.value), bottom + 16, "middle", tick.label);
    for (int percent = 0; percent <= 100; percent += 20)
      draw_text(out, kLeft - 7, Scale::y(percent / 100.0) + 4, "end", fmt::format("{}%", percent));
    draw_text(out, kLeft + kInnerWidth / 2, kHeight - 8, "middle", plot.x_label);
    draw_text(out, kLeft, 18, "start", plot.title, "title");
  });
}

// ---- Series

void draw_series(HtmlWriter& out, const PlotSeries& series, size_t index, const Scale& scale) {
  std::vector<PlotPoint> points = series.points;
  std::stable_sort(points.begin(), points.end(), [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
  out.element("g", {{"class", colour_class(index)}}, [&] {
    std::string path;
    for (const PlotPoint& point : points) path += fmt::format("{:.2f},{:.2f} ", scale.x(point.x), Scale::y(point.y));
    if (points.size() > 1) out.leaf("polyline", {{"points", path.substr(0, path.size() - 1)}});
    for (const PlotPoint& point : points) {
      out.element("g", {{"class", "point"}}, [&] {
        out.text_element("title", point.label);
        draw_marker(out, index, scale.x(point.x), Scale::y(point.y));
      });
    }
  });
}

}  // namespace

void draw_plot(HtmlWriter& out, const Plot& plot) {
  const Scale scale{axis_of(plot.series)};
  const std::string title = plot.id + "-title", description = plot.id + "-description";
  out.element("svg",
              {{"class", "plot"},
               {"id", plot.id},
               {"viewBox", fmt::format("0 0 {} {}", kWidth, kHeight)},
               {"role", "img"},
               {"aria-labelledby", title + " " + description}},
              [&] {
                out.text_element("title", plot.title, {{"id", title}});
                out.text_element("desc", plot.description, {{"id", description}});
                draw_axes(out, plot, scale);
                for (size_t i = 0; i < plot.series.size(); ++i) draw_series(out, plot.series[i], i, scale);
              });
}

void draw_legend(HtmlWriter& out, const std::vector<PlotSeries>& series) {
  out.element("ul", {{"class", "legend"}}, [&] {
    for (size_t i = 0; i < series.size(); ++i) {
      out.element("li", {}, [&] {
        out.element("svg", {{"viewBox", "0 0 28 14"}, {"class", "key"}, {"aria-hidden", "true"}}, [&] {
          out.element("g", {{"class", colour_class(i)}}, [&] {
            out.leaf("polyline", {{"points", "1,7 27,7"}});
            draw_marker(out, i, 14, 7);
          });
        });
        out.text(series[i].name);
      });
    }
  });
}

}  // namespace dppl
