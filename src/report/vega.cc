#include "report/vega.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "report/constants.h"

namespace dppl {
namespace {

using Json = nlohmann::ordered_json;

// ---- What every chart has. Words that begin with "$" are filled in.

// The layers of a panel, from the lowest to the topmost, and which points are in each.
struct Layer {
  const char* name;
  bool (*takes)(const Series& series, const ChartPoint& point);
  const char* specification;
};
constexpr Layer kLayers[] = {
    {"specks", [](const Series& series, const ChartPoint&) { return series.mark == Mark::specks; },
     R"json({"mark": {"type": "point", "filled": true, "size": 14},
         "encoding": {"x": "$x", "y": "$y", "color": "$colour", "shape": "$shape", "opacity": "$half"}})json"},
    {"segments", nullptr,
     R"json({"mark": {"type": "rule", "color": "var(--soft)", "strokeWidth": 1.3},
         "encoding": {"x": "$x", "y": "$y", "x2": {"field": "to_x"}, "y2": {"field": "to_y"}}})json"},
    {"bands", [](const Series&, const ChartPoint& point) { return point.x && point.band; },
     R"json({"mark": {"type": "area"},
         "encoding": {"x": "$x", "y": "$low", "y2": {"field": "high"}, "color": "$colour", "opacity": "$faint"}})json"},
    {"levels", [](const Series&, const ChartPoint& point) { return !point.x; },
     R"json({"mark": {"type": "rule", "strokeWidth": 2, "strokeDash": [2, 4], "strokeCap": "round"},
         "encoding": {"y": "$y", "color": "$colour", "opacity": "$full", "tooltip": {"field": "label"}}})json"},
    {"lines",
     [](const Series& series, const ChartPoint& point) {
       return point.x && (series.mark == Mark::line || series.mark == Mark::curve);
     },
     R"json({"mark": {"type": "line", "strokeWidth": 2},
         "encoding": {"x": "$x", "y": "$y", "color": "$colour", "strokeDash": "$dash", "opacity": "$full"}})json"},
    {"points",
     [](const Series& series, const ChartPoint& point) {
       return point.x && (series.mark == Mark::line || series.mark == Mark::points);
     },
     R"json({"mark": {"type": "point", "size": 55, "strokeWidth": 1.6},
         "encoding": {"x": "$x", "y": "$y", "shape": "$shape", "fill": "$fill", "stroke": "$colour",
                      "opacity": "$full", "tooltip": {"field": "label"}}})json"},
    {"tags", [](const Series&, const ChartPoint& point) { return !point.tag.empty(); },
     R"json({"mark": {"type": "text", "align": "left", "dx": 8, "fontSize": 11, "color": "var(--ink)"},
         "encoding": {"x": "$x", "y": "$y", "text": {"field": "tag"}}})json"},
    {"notes", nullptr,
     R"json({"mark": {"type": "text", "color": "var(--soft)"},
         "encoding": {"x": {"value": "$middle"}, "y": {"value": 100}, "text": {"field": "note"}}})json"}};

constexpr const char* kFrame = R"json({
  "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
  "title": "$title",
  "description": "$caption",
  "params": [{"name": "picked", "select": {"type": "point", "fields": ["series"], "toggle": "true"}, "bind": "legend",
              "views": "$views"}],
  "columns": "$columns",
  "concat": "$panels",
  "resolve": {"scale": {"x": "shared", "y": "shared"}},
  "config": {
    "font": "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, Liberation Sans, sans-serif",
    "background": "var(--card)",
    "padding": 14,
    "title": {"anchor": "start", "fontSize": 14, "fontWeight": 600, "color": "var(--ink)", "subtitleColor": "var(--soft)",
              "subtitleFontSize": 12, "subtitlePadding": 6},
    "axis": {"domain": false, "tickSize": 0, "labelPadding": 7, "labelFontSize": 12, "labelColor": "var(--soft)",
             "titleFontSize": 12, "titleFontWeight": "normal", "titleColor": "var(--soft)", "gridColor": "var(--line)"},
    "legend": {"labelFontSize": 13, "labelColor": "var(--ink)", "columnPadding": 18}
  }})json";

using Parts = std::map<std::string, Json>;

Json filled(Json json, const Parts& parts) {
  for (Json& one : json) {
    if (one.is_structured()) {
      one = filled(std::move(one), parts);
    } else if (one.is_string() && one.get_ref<const std::string&>().starts_with('$')) {
      one = parts.at(one.get_ref<const std::string&>().substr(1));
    }
  }
  return json;
}

// ---- Text: how wide it gets is a guess, the browser has the font.

double text_width(std::string_view text, double size) {
  return 0.56 * size * static_cast<double>(count_characters(text));
}

// Vega does not break lines.
Json wrapped(const std::vector<std::string>& texts, double size, double width) {
  Json lines = Json::array();
  for (std::string_view text : texts) {
    std::string line;
    while (!text.empty()) {
      const std::string_view word = text.substr(0, text.find(' '));
      text.remove_prefix(std::min(text.size(), word.size() + 1));
      if (!line.empty() && text_width(line, size) + text_width(word, size) > width) {
        lines.push_back(line);
        line.clear();
      }
      line.append(line.empty() ? "" : " ").append(word);
    }
    lines.push_back(line);
  }
  return lines;
}

// ---- Looks of series

std::string colour_of(const Series& series) {
  return series.shade ? fmt::format("var(--h{})", *series.shade)
                      : fmt::format("var(--s{})", series.look % kSeriesColours);
}

std::string fill_of(const Series& series) { return series.hollow ? "var(--card)" : colour_of(series); }

// Colours and shapes repeat after different numbers of series, so that pairs stay distinct for long.
std::string shape_of(const Series& series) {
  constexpr const char* kShapes[] = {"circle", "square", "triangle-up", "diamond", "triangle-down"};
  if (series.mark == Mark::specks) return series.look % 2 == 0 ? "circle" : "cross";
  if (series.mark == Mark::level || series.mark == Mark::curve) return "stroke";
  return kShapes[series.look % std::size(kShapes)];
}

Json dash_of(const Series& series) {
  return series.mark == Mark::level ? Json{2, 4} : series.hollow ? Json{7, 5} : Json{1, 0};
}

Json legend_of(const Figure& figure, double width) {
  double longest = 0;
  for (const Series& one : figure.series) longest = std::max(longest, text_width(one.name, kText));
  Json legend = {{"title", nullptr}, {"orient", "top"}, {"symbolSize", 90}, {"symbolOpacity", 1}};
  legend.update({{"columns", std::max(1.0, std::floor(width / (longest + 44)))}, {"labelLimit", width}});
  return legend;
}

template <typename Value>
Json by_series(const Figure& figure, const Json& legend, Value value) {
  Json names = Json::array(), range = Json::array();
  for (const Series& one : figure.series) {
    names.push_back(one.name);
    range.push_back(value(one));
  }
  const Json scale = {{"domain", names}, {"range", range}};
  return {{"field", "series"}, {"type", "nominal"}, {"scale", scale}, {"legend", legend}};
}

// Series that are not picked step back.
Json opacity(double value) { return {{"condition", {{"param", "picked"}, {"value", value}}}, {"value", value / 10}}; }

// ---- Axes

// Whole steps around all fractions; from 0, unless they are far from it.
Json fractions(const Figure& figure) {
  double least = 1, most = 0;
  for (const Panel& panel : figure.panels) {
    for (const ChartPoint& point : panel.points) {
      least = std::min(least, point.band ? point.band->first : point.y);
      most = std::max(most, point.band ? point.band->second : point.y);
    }
  }
  const double low = least < 0.4 ? 0 : std::min(8.0, std::floor(10 * least)) / 10;
  return {low, std::clamp(std::ceil(10 * most - 1e-9) / 10, low + 0.2, 1.0)};
}

Json position(const char* field, const ChartAxis& axis, const Figure& figure) {
  Json scale = {{"zero", false}, {"nice", false}, {"padding", 10}};
  Json ticks = {{"title", axis.title.empty() ? Json(nullptr) : Json(axis.title)}, {"labelOverlap", "greedy"}};
  if (axis.scale == Scale::logarithmic) {
    scale = {{"type", "log"}, {"nice", false}, {"padding", 14}};
    ticks.update({{"format", "~g"}, {"tickCount", 4}});
  } else if (axis.scale == Scale::percent) {
    scale = {{"domain", fractions(figure)}};
    ticks.update({{"format", ".0%"}, {"tickCount", 5}});
  } else if (axis.scale == Scale::counting) {
    ticks.update({{"format", "d"}, {"tickMinStep", 1}});
  } else {
    ticks = nullptr;
  }
  return {{"field", field}, {"type", "quantitative"}, {"scale", scale}, {"axis", ticks}};
}

// ---- Panels

// Every point once; "in" names the layers that draw it.
Json values_of(const Figure& figure, const Panel& panel) {
  Json values = Json::array();
  // The first series, which matters most, lies on top.
  for (size_t i = figure.series.size(); i-- > 0;) {
    const Series& series = figure.series[i];
    for (const ChartPoint& point : panel.points) {
      if (point.series != i) continue;
      std::string layers;
      for (const Layer& layer : kLayers) {
        if (layer.takes && layer.takes(series, point)) layers.append(" ").append(layer.name);
      }
      Json value = {{"in", layers}, {"series", series.name}, {"y", point.y}};
      if (point.x) value["x"] = *point.x;
      if (!point.words.empty()) value["label"] = fmt::format("{}, {}: {}", series.name, point.at, point.words);
      if (point.band) value.update({{"low", point.band->first}, {"high", point.band->second}});
      if (!point.tag.empty()) value["tag"] = point.tag;
      values.push_back(std::move(value));
    }
  }
  for (const auto& [x, y, to_x, to_y] : panel.segments)
    values.push_back({{"in", "segments"}, {"x", x}, {"y", y}, {"to_x", to_x}, {"to_y", to_y}});
  if (!panel.note.empty()) values.push_back({{"in", "notes"}, {"note", panel.note}});
  return values;
}

bool has(const Json& values, const std::string& layer) {
  return std::any_of(values.begin(), values.end(), [&](const Json& value) {
    return value["in"].get_ref<const std::string&>().find(layer) != std::string::npos;
  });
}

}  // namespace

std::string vega_lite(const Figure& figure) {
  const size_t rows = (figure.panels.size() + kMostColumns - 1) / kMostColumns;
  const size_t columns = (figure.panels.size() + rows - 1) / rows;
  const double width = figure.panels.size() == 1 ? kNarrow : kWide, share = width / static_cast<double>(columns);
  const double panel_width = std::floor(share - kAxis), panel_height = std::clamp(0.55 * share + 30, 180.0, 270.0);

  const Json legend = legend_of(figure, width);
  const Json y = position("y", figure.y, figure);
  Parts parts = {{"x", position("x", figure.x, figure)},
                 {"y", y},
                 {"low", y},
                 {"colour", by_series(figure, legend, colour_of)},
                 {"fill", by_series(figure, legend, fill_of)},
                 {"shape", by_series(figure, legend, shape_of)},
                 {"dash", by_series(figure, legend, dash_of)},
                 {"full", opacity(1)},
                 {"half", opacity(0.55)},
                 {"faint", opacity(0.14)},
                 {"middle", panel_width / 2}};
  parts["low"]["field"] = "low";

  Json panels = Json::array(), views = Json::array();
  for (const Panel& panel : figure.panels) {
    Json layers = Json::array();
    const Json values = values_of(figure, panel);
    size_t picked = 0;  // the layer that the legend picks from: the topmost with series
    for (const Layer& layer : kLayers) {
      if (!has(values, layer.name)) continue;
      layers.push_back(filled(Json::parse(layer.specification), parts));
      layers.back()["transform"] = {{{"filter", fmt::format("indexof(datum.in, '{}') >= 0", layer.name)}}};
      if (layers.back()["encoding"].contains("opacity")) picked = layers.size();
    }
    if (picked > 0) {
      views.push_back(fmt::format("picked-{}", panels.size()));
      layers[picked - 1]["name"] = views.back();
    }
    panels.push_back({{"title", {{"text", panel.title}, {"limit", panel_width + kAxis - 12}}},
                      {"width", panel_width},
                      {"height", std::floor(panel_height)},
                      {"view", {{"stroke", figure.x.scale == Scale::bare ? Json("var(--line)") : Json(nullptr)}}},
                      {"data", {{"values", values}}},
                      {"layer", layers}});
  }

  std::vector<std::string> headings{figure.title};
  if (!figure.alarm.empty()) headings.push_back(figure.alarm);
  parts["title"] = {{"text", wrapped(headings, kHeading, width)},
                    {"subtitle", wrapped(figure.notes, kText, width)},
                    {"anchor", "start"},
                    {"fontSize", kHeading},
                    {"offset", 10},
                    {"color", figure.alarm.empty() ? "var(--ink)" : "var(--alarm)"}};
  parts.insert({{"caption", figure.caption}, {"views", views}, {"columns", columns}, {"panels", panels}});
  return filled(Json::parse(kFrame), parts).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace dppl
