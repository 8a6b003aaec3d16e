#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/html.h"

namespace dppl {

struct Cell {
  std::string text;
  std::string style = "number";      // class of the element
  std::optional<double> share = {};  // between 0 and 1: a bar below the text
  std::string mark = {};             // a warning beside the text
};

// The first cell of a row is its heading.
struct Table {
  std::vector<std::string> headings;
  std::vector<std::vector<Cell>> rows = {};
};

// Scrolls on its own where the page is narrow.
void write_table(HtmlWriter& out, std::string label, const Table& table);

std::string percent(const std::optional<double>& fraction);  // "59.68%"; a dash for nothing
Cell fraction_cell(const std::optional<double>& fraction);   // that, with a bar
void write_bar(HtmlWriter& out, double share);

}  // namespace dppl
