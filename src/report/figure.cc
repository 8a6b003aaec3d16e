#include "report/figure.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/style.h"

namespace dppl {
namespace {

constexpr double kMargin = 16;
constexpr double kWide = 1120, kNarrow = 720;  // of one panel
constexpr size_t kMostColumns = 4;

// Widths and heights in characters and pixels are guesses: the browser has the font.
struct TextStyle {
  const char* name;
  double size, line;
};
constexpr TextStyle kHeading{"heading", 16, 22}, kAlarm{"alarm", 15, 22}, kName{"name", 13, 22}, kNote{"", 12, 17};

// Text and pictures from top to bottom.
class Sheet {
 public:
  explicit Sheet(double width) : width_(width) {}

  void text(std::string_view words, const TextStyle& style) {
    for (const std::string& line : wrapped(words, style.size, width_ - 2 * kMargin)) {
      top_ += style.line;
      draw_text(out_, kMargin, top_ - 6, "start", line, style.name);
    }
  }

  void legend(const std::vector<PlotSeries>& series) {
    constexpr double kKey = 36, kGap = 22;
    double left = kMargin;
    top_ += kName.line;
    for (const PlotSeries& one : series) {
      const std::string name = shortened(one.name, kName.size, width_ - 2 * kMargin - kKey);
      const double width = kKey + text_width(name, kName.size);
      if (left > kMargin && left + width > width_ - kMargin) {
        left = kMargin;
        top_ += kName.line;
      }
      draw_key(out_, one, left, top_ - 10);
      draw_text(out_, left + kKey, top_ - 6, "start", name, kName.name);
      left += width + kGap;
    }
  }

  void panels(const std::vector<Panel>& panels) {
    const size_t rows = (panels.size() + kMostColumns - 1) / kMostColumns;
    const size_t columns = (panels.size() + rows - 1) / rows;
    const double panel = (width_ - kMargin) / static_cast<double>(columns);
    const double height = std::clamp(0.55 * panel + 110, 260.0, 350.0);
    for (size_t i = 0; i < panels.size(); ++i) {
      draw_panel(
          out_, panels[i],
          {static_cast<double>(i % columns) * panel, top_ + static_cast<double>(i / columns) * height, panel, height});
    }
    top_ += height * static_cast<double>(rows);
  }

  void space(double height) { top_ += height; }
  double width() const { return width_; }
  double height() const { return top_; }
  const HtmlWriter& svg() const { return out_; }

 private:
  HtmlWriter out_;
  double width_, top_ = 0;
};

Sheet sheet_of(const Figure& figure) {
  Sheet sheet(figure.panels.size() == 1 ? kNarrow : kWide);
  sheet.space(10);
  sheet.text(figure.title, kHeading);
  if (!figure.alarm.empty()) sheet.text(figure.alarm, kAlarm);
  if (!figure.legend.empty()) sheet.legend(figure.legend);
  sheet.space(6);
  sheet.panels(figure.panels);
  for (const std::string& note : figure.notes) sheet.text(note, kNote);
  sheet.space(10);
  return sheet;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string result;
  for (const std::string& part : parts) result.append(result.empty() ? "" : " ").append(part);
  return result;
}

void write_contents(HtmlWriter& out, const Figure& figure, const Sheet& sheet) {
  const std::string width = fmt::format("{:.0f}", sheet.width()), height = fmt::format("{:.0f}", sheet.height());
  out.text_element("title", figure.title, {{"id", figure.name + "-title"}});
  out.text_element("desc", fmt::format("{} {} {}", figure.caption, joined(figure.notes), figure.alarm),
                   {{"id", figure.name + "-description"}});
  out.leaf("rect", {{"class", "ground"}, {"width", width}, {"height", height}});
  out.append(sheet.svg());
}

std::string view_box(const Sheet& sheet) { return fmt::format("0 0 {:.0f} {:.0f}", sheet.width(), sheet.height()); }

std::string labelled_by(const Figure& figure) { return fmt::format("{0}-title {0}-description", figure.name); }

}  // namespace

void draw_figure(HtmlWriter& out, const Figure& figure) {
  const Sheet sheet = sheet_of(figure);
  out.element("svg",
              {{"class", "plot"},
               {"id", "figure-" + figure.name},
               {"viewBox", view_box(sheet)},
               {"role", "img"},
               {"aria-labelledby", labelled_by(figure)}},
              [&] { write_contents(out, figure, sheet); });
}

std::string svg_document(const Figure& figure) {
  const Sheet sheet = sheet_of(figure);
  HtmlWriter out;
  out.element("svg",
              {{"xmlns", "http://www.w3.org/2000/svg"},
               {"class", "plot"},
               {"width", fmt::format("{:.0f}", sheet.width())},
               {"height", fmt::format("{:.0f}", sheet.height())},
               {"viewBox", view_box(sheet)},
               {"role", "img"},
               {"aria-labelledby", labelled_by(figure)}},
              [&] {
                out.text_element("style", in_light_colours(kFigureStyle));
                write_contents(out, figure, sheet);
              });
  return out.html() + "\n";
}

}  // namespace dppl
