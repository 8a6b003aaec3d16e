#include "report/vega.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

namespace dppl {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kWide = 1080, kNarrow = 680, kAxis = 62;  // of all panels; of one; beside a panel
constexpr size_t kMostColumns = 4;
constexpr double kText = 12, kHeading = 16;
constexpr const char* kFont = "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, Liberation Sans, sans-serif";

struct Size {
  double width, height;
};

std::string colour_of(const PlotLook& look) {
  return look.shade ? fmt::format("var(--h{})", *look.shade) : fmt::format("var(--s{})", look.number % kSeriesColours);
}

bool is_reference(const PlotSeries& series) { return series.level && series.points.empty(); }

std::string shape_of(const PlotSeries& series) {
  constexpr const char* kShapes[] = {"circle", "square", "triangle-up", "diamond", "triangle-down"};
  return is_reference(series) ? "stroke" : kShapes[series.look.number % std::size(kShapes)];
}

// ---- Channels

// By the name of the series; `value` gives that of one in the legend.
template <typename Value>
Json by_series(const Figure& figure, const Json& legend, Value value) {
  Json names = Json::array(), range = Json::array();
  for (const PlotSeries& one : figure.legend) {
    names.push_back(one.name);
    range.push_back(value(one));
  }
  return {
      {"field", "series"}, {"type", "nominal"}, {"scale", {{"domain", names}, {"range", range}}}, {"legend", legend}};
}

Json legend_of(const Figure& figure, double width) {
  double longest = 0;
  for (const PlotSeries& one : figure.legend) longest = std::max(longest, text_width(one.name, kText));
  const double columns = std::max(1.0, std::floor(width / (longest + 44)));
  return {{"title", nullptr},    {"orient", "top"},  {"columns", columns},
          {"labelLimit", width}, {"symbolSize", 90}, {"symbolOpacity", 1}};
}

Json position(const char* field, const Axis& axis, const std::string& title) {
  Json result = {{"field", field},
                 {"type", "quantitative"},
                 {"scale",
                  {{"type", axis.is_logarithmic() ? "log" : "linear"},
                   {"domain", {axis.value_at(0), axis.value_at(1)}},
                   {"nice", false}}}};
  if (axis.ticks().empty()) {
    result["axis"] = nullptr;
    return result;
  }
  Json values = Json::array(), labels = Json::array();
  for (const Axis::Tick& tick : axis.ticks()) {
    values.push_back(tick.value);
    labels.push_back(tick.label);
  }
  result["axis"] = {{"title", title.empty() ? Json(nullptr) : Json(title)},
                    {"values", values},
                    {"labelExpr", fmt::format("{}[indexof({}, datum.value)]", labels.dump(), values.dump())},
                    {"labelOverlap", "greedy"}};
  return result;
}

// Series that are not picked step back.
Json picked(double opacity = 1) {
  return {{"condition", {{"param", "picked"}, {"value", opacity}}}, {"value", opacity / 10}};
}

// ---- Layers of a panel

class PanelWriter {
 public:
  PanelWriter(const Figure& figure, const Panel& panel, size_t number, Size size, const Json& legend)
      : figure_(figure), panel_(panel), number_(number), size_(size), legend_(legend) {}

  static std::string lines_name(size_t number) { return fmt::format("lines-{}", number); }

  Json write() {
    clouds();
    arrows();
    bands();
    levels();
    lines();
    points();
    tags();
    note();
    return {{"title", shortened(panel_.title, 14, size_.width)},
            {"width", size_.width},
            {"height", size_.height},
            {"view", {{"stroke", panel_.x.ticks().empty() ? Json("var(--line)") : Json(nullptr)}}},
            {"layer", layers_}};
  }

 private:
  Json x(const char* field = "x") const { return position(field, panel_.x, panel_.x_label); }
  Json y(const char* field = "y") const { return position(field, panel_.y, ""); }
  Json colour() const {
    return by_series(figure_, legend_, [](const PlotSeries& one) { return colour_of(one.look); });
  }

  void layer(Json values, Json mark, Json encoding) {
    layers_.push_back({{"data", {{"values", std::move(values)}}}, {"mark", std::move(mark)}, {"encoding", encoding}});
  }

  template <typename Want>
  Json values_where(Want want) const {
    Json values = Json::array();
    // The first one, which matters most, lies on top.
    for (auto series = panel_.series.rbegin(); series != panel_.series.rend(); ++series) {
      for (const PlotPoint& point : series->points) {
        if (!want(*series, point)) continue;
        Json value = {{"series", series->name}, {"x", point.x}, {"y", point.y}, {"label", point.label}};
        if (point.band) value.update({{"low", point.band->first}, {"high", point.band->second}});
        if (!point.tag.empty()) value["tag"] = point.tag;
        values.push_back(std::move(value));
      }
    }
    return values;
  }

  void clouds() {
    for (const PlotCloud& cloud : panel_.clouds) {
      Json values = Json::array();
      for (const auto& [px, py] : cloud.points) values.push_back({{"x", px}, {"y", py}});
      Json mark = {{"type", "point"}, {"shape", cloud.good ? "circle" : "cross"}, {"size", cloud.good ? 9 : 22}};
      mark.update({{"filled", true}, {"opacity", cloud.good ? 0.45 : 0.8}});
      mark["color"] = cloud.good ? "var(--s0)" : "var(--s1)";
      if (!cloud.good) mark["angle"] = 45;
      layer(std::move(values), std::move(mark), {{"x", x()}, {"y", y()}});
    }
  }

  void arrows() {
    if (panel_.arrows.empty()) return;
    Json values = Json::array();
    for (const PlotArrow& arrow : panel_.arrows) {
      const double across = size_.width * (panel_.x.position(arrow.to_x) - panel_.x.position(arrow.from_x));
      const double up = size_.height * (panel_.y.position(arrow.to_y) - panel_.y.position(arrow.from_y));
      values.push_back({{"x", arrow.from_x},
                        {"y", arrow.from_y},
                        {"to_x", arrow.to_x},
                        {"to_y", arrow.to_y},
                        {"angle", std::atan2(across, up) * 180 / std::numbers::pi}});
    }
    layer(values, {{"type", "rule"}, {"color", "var(--soft)"}, {"strokeWidth", 1.3}},
          {{"x", x()}, {"y", y()}, {"x2", {{"field", "to_x"}}}, {"y2", {{"field", "to_y"}}}});
    Json head = {{"type", "point"}, {"shape", "triangle-up"}, {"filled", true}, {"size", 60}};
    head.update({{"color", "var(--soft)"}, {"opacity", 1}});
    layer(std::move(values), std::move(head),
          {{"x", x("to_x")},
           {"y", y("to_y")},
           {"angle", {{"field", "angle"}, {"type", "quantitative"}, {"scale", nullptr}}}});
  }

  void bands() {
    Json values = values_where([](const PlotSeries&, const PlotPoint& point) { return point.band.has_value(); });
    if (values.empty()) return;
    layer(std::move(values), {{"type", "area"}, {"interpolate", "linear"}},
          {{"x", x()}, {"y", y("low")}, {"y2", {{"field", "high"}}}, {"color", colour()}, {"opacity", picked(0.14)}});
  }

  void levels() {
    Json values = Json::array();
    for (const PlotSeries& series : panel_.series) {
      if (series.level)
        values.push_back({{"series", series.name}, {"y", series.level->y}, {"label", series.level->label}});
    }
    if (values.empty()) return;
    layer(std::move(values), {{"type", "rule"}, {"strokeWidth", 2}, {"strokeDash", {2, 4}}, {"strokeCap", "round"}},
          {{"y", y()}, {"color", colour()}, {"opacity", picked()}, {"tooltip", {{"field", "label"}}}});
  }

  void lines() {
    const auto dash = [](const PlotSeries& one) {
      return is_reference(one) ? Json{2, 4} : one.look.dashed ? Json{7, 5} : Json{1, 0};
    };
    layer(values_where([](const PlotSeries& series, const PlotPoint&) { return series.joined; }),
          {{"type", "line"}, {"strokeWidth", 2}},
          {{"x", x()},
           {"y", y()},
           {"color", colour()},
           {"strokeDash", by_series(figure_, legend_, dash)},
           {"opacity", picked()}});
    layers_.back()["name"] = lines_name(number_);
  }

  void points() {
    const Json values = values_where([](const PlotSeries& series, const PlotPoint&) {
      return !series.joined || series.points.size() <= kMostMarkers;
    });
    if (values.empty()) return;
    const auto ground = [](const PlotSeries& one) { return one.look.dashed ? "var(--card)" : colour_of(one.look); };
    layer(values, {{"type", "point"}, {"size", 55}, {"strokeWidth", 1.6}},
          {{"x", x()},
           {"y", y()},
           {"shape", by_series(figure_, legend_, shape_of)},
           {"fill", by_series(figure_, legend_, ground)},
           {"stroke", colour()},
           {"opacity", picked()},
           {"tooltip", {{"field", "label"}}}});
  }

  void tags() {
    const Json values = values_where([](const PlotSeries&, const PlotPoint& point) { return !point.tag.empty(); });
    if (values.empty()) return;
    layer(values, {{"type", "text"}, {"align", "left"}, {"dx", 8}, {"fontSize", 11}, {"color", "var(--ink)"}},
          {{"x", x()}, {"y", y()}, {"text", {{"field", "tag"}}}});
  }

  void note() {
    if (panel_.note.empty()) return;
    layer({Json::object()}, {{"type", "text"}, {"text", panel_.note}, {"color", "var(--soft)"}},
          {{"x", {{"value", size_.width / 2}}}, {"y", {{"value", size_.height / 2}}}});
  }

  const Figure& figure_;
  const Panel& panel_;
  size_t number_;
  Size size_;
  const Json& legend_;
  Json layers_ = Json::array();
};

// ---- Around the panels

Json title_of(const Figure& figure, double width) {
  const auto in_lines = [&](const std::vector<std::string>& texts, double size) {
    Json lines = Json::array();
    for (const std::string& text : texts) {
      for (const std::string& line : wrapped(text, size, width)) lines.push_back(line);
    }
    return lines;
  };
  std::vector<std::string> headings{figure.title};
  if (!figure.alarm.empty()) headings.push_back(figure.alarm);
  return {{"text", in_lines(headings, kHeading)},
          {"subtitle", in_lines(figure.notes, kText)},
          {"anchor", "start"},
          {"fontSize", kHeading},
          {"offset", 10},
          {"color", figure.alarm.empty() ? "var(--ink)" : "var(--alarm)"}};
}

Json config() {
  return {{"font", kFont},
          {"background", "var(--card)"},
          {"padding", 14},
          {"title",
           {{"anchor", "start"},
            {"fontSize", 14},
            {"fontWeight", 600},
            {"color", "var(--ink)"},
            {"subtitleColor", "var(--soft)"},
            {"subtitleFontSize", kText},
            {"subtitlePadding", 6}}},
          {"axis",
           {{"domain", false},
            {"tickSize", 0},
            {"labelPadding", 7},
            {"labelFontSize", kText},
            {"labelColor", "var(--soft)"},
            {"titleFontSize", kText},
            {"titleFontWeight", "normal"},
            {"titleColor", "var(--soft)"},
            {"gridColor", "var(--line)"}}},
          {"legend", {{"labelFontSize", 13}, {"labelColor", "var(--ink)"}, {"columnPadding", 18}}}};
}

}  // namespace

std::string vega_lite(const Figure& figure) {
  const size_t rows = (figure.panels.size() + kMostColumns - 1) / kMostColumns;
  const size_t columns = (figure.panels.size() + rows - 1) / rows;
  const double width = figure.panels.size() == 1 ? kNarrow : kWide;
  const double panel = width / static_cast<double>(columns);
  const Size size{std::floor(panel - kAxis), std::clamp(std::floor(0.55 * panel + 30), 180.0, 270.0)};
  const Json legend = legend_of(figure, width);
  Json panels = Json::array(), views = Json::array();
  for (const Panel& one : figure.panels) {
    const size_t number = panels.size();
    panels.push_back(PanelWriter(figure, one, number, size, legend).write());
    views.push_back(PanelWriter::lines_name(number));
  }
  const Json select = {{"type", "point"}, {"fields", {"series"}}, {"toggle", "true"}};
  const Json spec = {{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"},
                     {"title", title_of(figure, width)},
                     {"description", figure.caption},
                     {"params", {{{"name", "picked"}, {"select", select}, {"bind", "legend"}, {"views", views}}}},
                     {"columns", columns},
                     {"concat", panels},
                     {"config", config()}};
  return spec.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace dppl
