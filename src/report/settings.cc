#include <fmt/format.h>

#include "model/guarantee_words.h"
#include "model/settings_words.h"
#include "model/stated.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/table.h"

namespace dppl {
namespace {

void write_costs(HtmlWriter& out, const Guarantee& guarantee) {
  const std::optional<Guarantee> replaced = replace_one_price(guarantee);
  const Costs own = costs_in_words(guarantee);
  const Costs others = replaced ? costs_in_words(*replaced) : Costs(own.size());
  Table costs{{"notion", "cost, rounded up"}};
  if (replaced) costs.headings.emplace_back("if a record is replaced by any other");
  for (size_t i = 0; i < own.size(); ++i) {
    costs.rows.push_back({{own[i].first}, {own[i].second}});
    if (replaced) costs.rows.back().push_back({others[i].second});
  }
  write_table(out, "The guarantee in other notions", costs);
}

void write_model(HtmlWriter& out, const Model& model) {
  write_costs(out, model.guarantee);
  write_facts(out, model);
}

}  // namespace

void write_fact(HtmlWriter& out, std::string_view name, std::string_view value) {
  out.element("div", {}, [&] {
    out.text_element("dt", name);
    out.text_element("dd", value);
  });
}

void write_facts(HtmlWriter& out, const Model& model) {
  out.element("dl", {{"class", "facts"}}, [&] {
    write_fact(out, "method", method_words(model));
    write_fact(out, "budget", model.budget.describe());
    write_fact(out, "neighbours", to_string(model.guarantee.relation));
    write_fact(out, "dimension", fmt::format("{}, after the transform {}", model.input_dim(), model.output_dim()));
    for (const auto& [name, value] : settings_in_words(model)) write_fact(out, name, value);
    if (model.pool) {
      write_fact(out, "pool", fmt::format("{} rows of {} values", model.pool->rows, model.pool->dim));
      write_fact(out, "pool digest", model.pool->digest);
    }
    write_fact(out, "ledger entry", model.ledger_entry.empty() ? "none" : std::string_view(model.ledger_entry));
    write_fact(out, "model version", std::to_string(model.version));
  });
}

void write_settings(HtmlWriter& out, const Report& report) {
  const bool single = report.models.size() == 1;
  section(out, "settings", single ? "How it was made" : "How they were made", [&] {
    out.paragraph(
        "All settings are public: whoever chose them by looking at private records has to count that as a cost, too.",
        "note");
    if (single) return write_model(out, report.models.front().model);
    for (const ReportedModel& one : report.models) {
      out.element("details", {}, [&] {
        out.text_element("summary", fmt::format("{} ({})", one.name, short_guarantee(one.model)));
        write_guarantee_words(out, one.model);
        write_model(out, one.model);
      });
    }
  });
}

}  // namespace dppl
