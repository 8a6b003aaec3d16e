#include "report/figure.h"

#include <algorithm>
#include <limits>

#include "report/vega.h"

namespace dppl {
namespace {

std::vector<size_t> told_series(const Figure& figure) {
  std::vector<size_t> result;
  for (size_t i = 0; i < figure.series.size(); ++i) {
    if (figure.series[i].mark != Mark::specks) result.push_back(i);
  }
  return result;
}

// The places on the x axis, from left to right; where the axis says nothing, as they come.
std::vector<std::string> places_of(const Panel& panel, Scale scale) {
  std::vector<const ChartPoint*> points;
  for (const ChartPoint& point : panel.points) points.push_back(&point);
  const auto order = [](const ChartPoint* point) { return point->x.value_or(std::numeric_limits<double>::infinity()); };
  if (scale != Scale::bare)
    std::stable_sort(points.begin(), points.end(), [&](const auto* a, const auto* b) { return order(a) < order(b); });
  std::vector<std::string> result;
  for (const ChartPoint* point : points) {
    if (std::find(result.begin(), result.end(), point->at) == result.end()) result.push_back(point->at);
  }
  return result;
}

std::string words_at(const Panel& panel, size_t series, const std::string& place) {
  std::string result;
  for (const ChartPoint& point : panel.points) {
    if (point.series == series && point.at == place) result += (result.empty() ? "" : ", ") + point.words;
  }
  return result.empty() ? "–" : result;
}

void write_numbers(HtmlWriter& out, const Figure& figure) {
  out.element("details", {{"class", "numbers"}, {"open", ""}}, [&] {
    out.text_element("summary", figure.title + ": the numbers");
    write_table(out, figure.title, numbers_of(figure));
    for (const std::string& note : figure.notes) out.paragraph(note, "note");
  });
  if (vega_library().empty()) return;
  out.json(vega_lite(figure), {{"type", "application/json"}, {"class", "chart"}, {"data-name", figure.name}});
}

}  // namespace

Table numbers_of(const Figure& figure) {
  Table table{{"panel", figure.x.title}};
  const std::vector<size_t> told = told_series(figure);
  for (const size_t i : told) table.headings.push_back(figure.series[i].name);
  for (const Panel& panel : figure.panels) {
    if (!panel.note.empty()) table.rows.push_back({{panel.title}, {panel.note}});
    for (const std::string& place : places_of(panel, figure.x.scale)) {
      if (place.empty()) continue;  // specks
      table.rows.push_back({{panel.title}, {place}});
      for (const size_t i : told) table.rows.back().push_back({words_at(panel, i, place)});
    }
  }
  return table;
}

void write_figure(HtmlWriter& out, const Figure& figure) {
  const bool small = figure.panels.size() == 1;
  out.element("figure", {{"class", small ? "figure small" : "figure"}, {"id", figure.name}}, [&] {
    if (figure.panels.empty()) {
      out.text_element("h3", figure.title);
      if (!figure.table.rows.empty()) write_table(out, figure.title, figure.table);
    } else {
      write_numbers(out, figure);
    }
    out.element("figcaption", {}, [&] {
      out.text(figure.caption);
      if (figure.alarm.empty()) return;
      out.text(" ");
      out.text_element("strong", figure.alarm + ".", {{"class", "warning"}});
    });
  });
}

}  // namespace dppl
