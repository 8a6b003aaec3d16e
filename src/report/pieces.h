#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dppl/report.h"
#include "report/html.h"

// What several sections use.
namespace dppl {

// A section with its heading.
template <typename Body>
void section(HtmlWriter& out, std::string id, std::string_view heading, Body&& body) {
  out.element("section", {{"id", std::move(id)}}, [&] {
    out.text_element("h2", heading);
    body();
  });
}

// A table that scrolls on its own where the page is narrow; the first cell of a row is its heading.
template <typename Body>
void table(HtmlWriter& out, std::string label, const std::vector<std::string>& headings, Body&& rows) {
  out.element("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", std::move(label)}},
              [&] {
                out.element("table", {}, [&] {
                  out.element("thead", {}, [&] {
                    out.element("tr", {}, [&] {
                      for (const std::string& heading : headings) out.text_element("th", heading, {{"scope", "col"}});
                    });
                  });
                  out.element("tbody", {}, rows);
                });
              });
}

void row_heading(HtmlWriter& out, std::string_view text);
void not_private_mark(HtmlWriter& out);
// What stands before the guarantee of a model that has none.
std::string_view seeded_words();

// "59.68%"; a dash for nothing.
std::string percent(const std::optional<double>& fraction);
// A number in a table, with a bar below it.
void fraction_cell(HtmlWriter& out, const std::optional<double>& fraction);
void bar(HtmlWriter& out, double fraction);

// "ε = 0.5", "ρ = 0.02": what was spent, in the notion of the budget.
std::string short_guarantee(const Model& model);
std::string series_of(const ReportedModel& one);
bool any_evaluated(const Report& report);

}  // namespace dppl
