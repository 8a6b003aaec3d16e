#include "report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dppl {
namespace {

constexpr double kLeft = 50, kRight = 14, kTop = 34, kBottom = 46;
constexpr double kMarker = 4;
constexpr double kLabelSize = 12;

std::string number(double value) { return fmt::format("{:.2f}", value); }

// ---- Markers: shape and colour repeat after different numbers of series, so that pairs stay distinct for long.

std::string class_of(const PlotLook& look) {
  const std::string colour =
      look.shade ? fmt::format("shade-{}", *look.shade) : fmt::format("series-{}", look.number % kSeriesColours);
  return look.dashed ? colour + " dashed" : colour;
}

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
  const Panel* panel;
  PlotBox inner;

  Scale(const Panel& one, const PlotBox& box)
      : panel(&one), inner{box.left + kLeft, box.top + kTop, box.width - kLeft - kRight, box.height - kTop - kBottom} {}

  double right() const { return inner.left + inner.width; }
  double bottom() const { return inner.top + inner.height; }
  double x(double value) const { return inner.left + inner.width * panel->x.position(value); }
  double y(double value) const { return bottom() - inner.height * panel->y.position(value); }
  std::string at(double px, double py) const { return fmt::format("{:.2f},{:.2f}", x(px), y(py)); }
};

Axis axis_of(const std::vector<PlotSeries>& series) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const PlotSeries& one : series) {
    for (const PlotPoint& point : one.points) {
      least = std::min(least, point.x);
      most = std::max(most, point.x);
    }
  }
  return most > 0 ? Axis::logarithmic(least, most) : Axis::logarithmic(0.1, 1);
}

void draw_line(HtmlWriter& out, double x1, double y1, double x2, double y2, std::string style = "") {
  out.leaf(
      "line",
      {{"x1", number(x1)}, {"y1", number(y1)}, {"x2", number(x2)}, {"y2", number(y2)}, {"class", std::move(style)}});
}

bool all_fit(const Scale& scale) {
  double taken = -std::numeric_limits<double>::infinity();
  for (const Axis::Tick& tick : scale.panel->x.ticks()) {
    const double half = text_width(tick.label, kLabelSize) / 2, at = scale.x(tick.value);
    if (at - half < taken) return false;
    taken = at + half + kLabelSize / 2;
  }
  return true;
}

void draw_axes(HtmlWriter& out, const Scale& scale) {
  const Panel& panel = *scale.panel;
  out.element("g", {{"class", "grid"}}, [&] {
    if (panel.x.ticks().empty()) {
      out.leaf("rect", {{"class", "frame"},
                        {"x", number(scale.inner.left)},
                        {"y", number(scale.inner.top)},
                        {"width", number(scale.inner.width)},
                        {"height", number(scale.inner.height)}});
    }
    for (const Axis::Tick& tick : panel.x.ticks())
      draw_line(out, scale.x(tick.value), scale.inner.top, scale.x(tick.value), scale.bottom());
    for (const Axis::Tick& tick : panel.y.ticks())
      draw_line(out, scale.inner.left, scale.y(tick.value), scale.right(), scale.y(tick.value));
  });
  const bool roomy = all_fit(scale);
  out.element("g", {{"class", "labels"}}, [&] {
    for (const Axis::Tick& tick : panel.x.ticks()) {
      if (roomy || tick.major) draw_text(out, scale.x(tick.value), scale.bottom() + 16, "middle", tick.label);
    }
    for (const Axis::Tick& tick : panel.y.ticks())
      draw_text(out, scale.inner.left - 7, scale.y(tick.value) + 4, "end", tick.label);
    draw_text(out, scale.inner.left + scale.inner.width / 2, scale.bottom() + kBottom - 8, "middle", panel.x_label);
    draw_text(out, scale.inner.left, scale.inner.top - 16, "start", shortened(panel.title, 14, scale.inner.width),
              "title");
    if (!panel.note.empty()) {
      draw_text(out, scale.inner.left + scale.inner.width / 2, scale.inner.top + scale.inner.height / 2, "middle",
                shortened(panel.note, kLabelSize, scale.inner.width));
    }
  });
}

// ---- Marks

std::vector<PlotPoint> from_left_to_right(std::vector<PlotPoint> points) {
  std::stable_sort(points.begin(), points.end(), [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
  return points;
}

void draw_band(HtmlWriter& out, const PlotSeries& series, const Scale& scale) {
  std::string there, back;
  size_t count = 0;
  for (const PlotPoint& point : from_left_to_right(series.points)) {
    if (!point.band) continue;
    there += scale.at(point.x, point.band->second) + ' ';
    back = scale.at(point.x, point.band->first) + ' ' + back;
    ++count;
  }
  if (count < 2) return;
  back.pop_back();
  out.leaf("polygon", {{"class", "band " + class_of(series.look)}, {"points", there + back}});
}

void draw_point(HtmlWriter& out, const PlotPoint& point, size_t shape, const Scale& scale) {
  const double x = scale.x(point.x), y = scale.y(point.y);
  out.element("g", {{"class", "point"}}, [&] {
    out.text_element("title", point.label);
    draw_marker(out, shape, x, y);
  });
  if (point.tag.empty()) return;
  const bool at_right = x + 9 + text_width(point.tag, kLabelSize) > scale.right();
  draw_text(out, at_right ? x - 9 : x + 9, y + 4, at_right ? "end" : "start", point.tag, "tag");
}

void draw_series(HtmlWriter& out, const PlotSeries& series, const Scale& scale) {
  out.element("g", {{"class", class_of(series.look)}}, [&] {
    if (series.level) {
      out.element("g", {{"class", "reference"}}, [&] {
        out.text_element("title", series.level->label);
        const double y = scale.y(series.level->y);
        draw_line(out, scale.inner.left, y, scale.right(), y, "level");
      });
    }
    std::string path;
    const std::vector<PlotPoint> points = from_left_to_right(series.points);
    for (const PlotPoint& point : points) path += scale.at(point.x, point.y) + ' ';
    if (series.joined && points.size() > 1) out.leaf("polyline", {{"points", path.substr(0, path.size() - 1)}});
    if (series.joined && points.size() > kMostMarkers) return;
    for (const PlotPoint& point : points) draw_point(out, point, series.look.number, scale);
  });
}

// One path for all of them: a page of ten thousand elements is slow.
void draw_cloud(HtmlWriter& out, const PlotCloud& cloud, const Scale& scale) {
  std::string path;
  for (const auto& [x, y] : cloud.points) {
    path += fmt::format("M{:.1f} {:.1f}{}", scale.x(x), scale.y(y), cloud.good ? "h0" : "m-2 -2l4 4m0 -4l-4 4");
  }
  if (!path.empty()) out.leaf("path", {{"class", cloud.good ? "cloud good" : "cloud bad"}, {"d", path}});
}

void draw_arrow(HtmlWriter& out, const PlotArrow& arrow, const Scale& scale) {
  const double x1 = scale.x(arrow.from_x), y1 = scale.y(arrow.from_y);
  const double x2 = scale.x(arrow.to_x), y2 = scale.y(arrow.to_y);
  const double length = std::hypot(x2 - x1, y2 - y1);
  if (length < 1) return;
  const double dx = (x2 - x1) / length, dy = (y2 - y1) / length;
  // The head ends where the marker begins.
  const double tip_x = x2 - kMarker * dx, tip_y = y2 - kMarker * dy, back = std::min(8.0, length / 2);
  draw_line(out, x1, y1, tip_x - back * dx, tip_y - back * dy, "arrow");
  out.leaf("polygon", {{"class", "head"},
                       {"points", fmt::format("{:.2f},{:.2f} {:.2f},{:.2f} {:.2f},{:.2f}", tip_x, tip_y,
                                              tip_x - back * (dx + 0.45 * dy), tip_y - back * (dy - 0.45 * dx),
                                              tip_x - back * (dx - 0.45 * dy), tip_y - back * (dy + 0.45 * dx))}});
}

}  // namespace

void draw_text(HtmlWriter& out, double x, double y, std::string anchor, std::string_view text, std::string style) {
  out.text_element(
      "text", text,
      {{"x", number(x)}, {"y", number(y)}, {"text-anchor", std::move(anchor)}, {"class", std::move(style)}});
}

double text_width(std::string_view text, double size) {
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return 0.56 * size * static_cast<double>(characters);
}

std::string shortened(std::string_view text, double size, double width) {
  if (text_width(text, size) <= width) return std::string(text);
  while (!text.empty() && text_width(text, size) + size > width) {
    while (text.size() > 1 && (text.back() & 0xc0) == 0x80) text.remove_suffix(1);
    text.remove_suffix(1);
  }
  return std::string(text) + "…";
}

std::vector<std::string> wrapped(std::string_view text, double size, double width) {
  std::vector<std::string> lines{""};
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    std::string longer = lines.back().empty() ? std::string(word) : fmt::format("{} {}", lines.back(), word);
    if (lines.back().empty() || text_width(longer, size) <= width) {
      lines.back() = std::move(longer);
    } else {
      lines.emplace_back(word);
    }
  }
  for (std::string& line : lines) line = shortened(line, size, width);
  return lines;
}

void draw_panel(HtmlWriter& out, const Panel& panel, const PlotBox& box) {
  const Scale scale(panel, box);
  draw_axes(out, scale);
  for (const PlotCloud& cloud : panel.clouds) draw_cloud(out, cloud, scale);
  for (const PlotArrow& arrow : panel.arrows) draw_arrow(out, arrow, scale);
  // The first one, which matters most, lies on top.
  std::for_each(panel.series.rbegin(), panel.series.rend(), [&](const auto& series) { draw_band(out, series, scale); });
  std::for_each(panel.series.rbegin(), panel.series.rend(),
                [&](const auto& series) { draw_series(out, series, scale); });
}

void draw_plot(HtmlWriter& out, const Plot& plot) {
  constexpr double kWidth = 380, kHeight = 300;
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
                draw_panel(out, {plot.title, plot.x_label, axis_of(plot.series), Axis::percent(0, 1), plot.series},
                           {0, 0, kWidth, kHeight});
              });
}

void draw_key(HtmlWriter& out, const PlotSeries& series, double left, double y) {
  out.element("g", {{"class", class_of(series.look)}}, [&] {
    const bool reference = series.level && series.points.empty();
    if (reference) return draw_line(out, left + 1, y, left + 27, y, "level");
    if (series.joined) {
      out.leaf("polyline", {{"points", fmt::format("{:.2f},{:.2f} {:.2f},{:.2f}", left + 1, y, left + 27, y)}});
    }
    if (series.joined && series.points.size() > kMostMarkers) return;
    out.element("g", {{"class", "sample"}}, [&] { draw_marker(out, series.look.number, left + 14, y); });
  });
}

void draw_legend(HtmlWriter& out, const std::vector<PlotSeries>& series) {
  out.element("ul", {{"class", "legend"}}, [&] {
    for (const PlotSeries& one : series) {
      out.element("li", {}, [&] {
        out.element("svg", {{"viewBox", "0 0 28 14"}, {"class", "key"}, {"aria-hidden", "true"}},
                    [&] { draw_key(out, one, 0, 7); });
        out.text(one.name);
      });
    }
  });
}

}  // namespace dppl
