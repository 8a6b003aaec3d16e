#pragma once

#include <string>
#include <vector>

#include "report/html.h"
#include "report/plot.h"

namespace dppl {

// Small multiples under a title and a legend, or a table.
struct Figure {
  std::string name;   // letters, digits and hyphens
  std::string place;  // what tells it from others of this name
  std::string title, caption;
  std::vector<std::string> notes = {};  // how to read it
  std::string alarm = {};               // what must not be overlooked
  std::vector<PlotSeries> legend = {};  // names and looks; points do not matter
  std::vector<Panel> panels = {};       // none: a table
  HtmlWriter table = {};
};

// For a page with the style sheet.
void draw_figure(HtmlWriter& out, const Figure& figure);
// A file of its own.
std::string svg_document(const Figure& figure);

}  // namespace dppl
