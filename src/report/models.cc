#include <fmt/format.h>

#include "model/guarantee_words.h"
#include "report/pieces.h"
#include "report/sections.h"

namespace dppl {
namespace {

constexpr std::string_view kTestNote =
    "Accuracy figures come from labelled test data that were given for this page. They are not protected by the "
    "guarantee: if the test records are private too, so are the figures.";
constexpr std::string_view kMinorityNote =
    " Minority accuracy is over the quarter of the classes with the fewest training records: which these are was read "
    "from the training labels, and that is not protected either.";

void write_row(HtmlWriter& out, const ReportedModel& one, bool evaluated, bool minority) {
  out.element("tr", {}, [&] {
    row_heading(out, one.name);
    out.text_element("td", series_of(one));
    out.element("td", {}, [&] {
      out.text(short_guarantee(one.model));
      if (!one.model.guarantee.is_private) not_private_mark(out);
    });
    const std::string guess = one.model.guarantee.is_private ? guess_percent(one.model.guarantee) : "";
    out.text_element("td", guess.empty() ? "–" : guess, {{"class", "number"}});
    if (!evaluated) return;
    const auto& result = one.evaluation;
    fraction_cell(out, result ? std::optional(result->accuracy) : std::nullopt);
    fraction_cell(out, result ? std::optional(result->balanced_accuracy) : std::nullopt);
    if (minority) fraction_cell(out, result ? result->minority_accuracy : std::nullopt);
  });
}

bool any_minority(const Report& report) {
  for (const ReportedModel& one : report.models) {
    if (one.evaluation && one.evaluation->minority_accuracy) return true;
  }
  return false;
}

}  // namespace

void write_models(HtmlWriter& out, const Report& report) {
  const bool evaluated = any_evaluated(report), minority = any_minority(report);
  section(out, "models", report.models.size() == 1 ? "The model" : "The models", [&] {
    std::vector<std::string> headings = {"model", "method", "guarantee", "a guess is right at most"};
    if (evaluated) headings.insert(headings.end(), {"accuracy", "balanced"});
    if (minority) headings.push_back("minority");
    table(out, "Models", headings, [&] {
      for (const ReportedModel& one : report.models) write_row(out, one, evaluated, minority);
    });
    if (evaluated) {
      out.text_element("p", fmt::format("{}{}", kTestNote, minority ? kMinorityNote : ""), {{"class", "note"}});
    }
  });
}

}  // namespace dppl
