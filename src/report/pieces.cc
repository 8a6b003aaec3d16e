#include "report/pieces.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/guarantee_words.h"
#include "model/stated.h"

namespace dppl {

void row_heading(HtmlWriter& out, std::string_view text) { out.text_element("th", text, {{"scope", "row"}}); }

void not_private_mark(HtmlWriter& out) { out.text_element("strong", "NOT PRIVATE", {{"class", "mark"}}); }

std::string_view seeded_words() {
  return "Nothing: it was made with a fixed seed. Made without one it would have had this guarantee.";
}

std::string percent(const std::optional<double>& fraction) {
  return fraction ? fmt::format("{:.2f}%", 100 * *fraction) : "–";
}

void fraction_cell(HtmlWriter& out, const std::optional<double>& fraction) {
  out.element("td", {{"class", "number"}}, [&] {
    out.text(percent(fraction));
    if (fraction) bar(out, *fraction);
  });
}

void bar(HtmlWriter& out, double fraction) {
  const std::string width = fmt::format("{:.2f}", 100 * std::clamp(fraction, 0.0, 1.0));
  out.element("svg",
              {{"class", "bar"}, {"viewBox", "0 0 100 4"}, {"preserveAspectRatio", "none"}, {"aria-hidden", "true"}},
              [&] {
                out.leaf("rect", {{"class", "track"}, {"width", "100"}, {"height", "4"}});
                out.leaf("rect", {{"class", "fill"}, {"width", width}, {"height", "4"}});
              });
}

std::string short_guarantee(const Model& model) {
  const std::optional<Rational> spent = stated_amount(model);
  if (!spent) return "no bound known";
  return describe(model.budget.notion, {*spent, model.budget.delta}, Rounding::up);
}

std::string series_of(const ReportedModel& one) {
  return one.series.empty() ? std::string(method_name(one.model.settings)) : one.series;
}

bool any_evaluated(const Report& report) {
  return std::any_of(report.models.begin(), report.models.end(), [](const auto& one) { return one.evaluation; });
}

}  // namespace dppl
