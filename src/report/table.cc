#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace dppl {
namespace {

void write_row(HtmlWriter& out, const std::vector<Cell>& row) {
  for (const Cell& cell : row) {
    if (&cell == &row.front()) {
      out.text_element("th", cell.text, {{"scope", "row"}});
      continue;
    }
    out.element("td", {{"class", cell.style}}, [&] {
      out.text(cell.text);
      if (!cell.mark.empty()) out.text_element("strong", cell.mark, {{"class", "mark"}});
      if (cell.share) write_bar(out, *cell.share);
    });
  }
}

}  // namespace

void write_table(HtmlWriter& out, std::string label, const Table& table) {
  const auto heading = [&] {
    for (const std::string& one : table.headings) out.text_element("th", one, {{"scope", "col"}});
  };
  const auto contents = [&] {
    out.element("thead", {}, [&] { out.element("tr", {}, heading); });
    out.element("tbody", {}, [&] {
      for (const auto& row : table.rows) out.element("tr", {}, [&] { write_row(out, row); });
    });
  };
  out.element("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", std::move(label)}},
              [&] { out.element("table", {}, contents); });
}

std::string percent(const std::optional<double>& fraction) {
  return fraction ? fmt::format("{:.2f}%", 100 * *fraction) : "–";
}

Cell fraction_cell(const std::optional<double>& fraction) { return {percent(fraction), "number", fraction}; }

void write_bar(HtmlWriter& out, double share) {
  out.text_element("progress", "",
                   {{"class", "bar"},
                    {"max", "1"},
                    {"value", fmt::format("{:.4f}", std::clamp(share, 0.0, 1.0))},
                    {"aria-hidden", "true"}});
}

}  // namespace dppl
