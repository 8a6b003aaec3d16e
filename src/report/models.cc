#include <fmt/format.h>

#include <algorithm>

#include "model/guarantee_words.h"
#include "model/stated.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/table.h"

namespace dppl {
namespace {

constexpr std::string_view kTestNote =
    "Accuracy figures come from labelled test data that were given for this page. They are not protected by the "
    "guarantee: if the test records are private too, so are the figures.";
constexpr std::string_view kMinorityNote =
    " Minority accuracy is over the quarter of the classes with the fewest training records: which these are was read "
    "from the training labels, and that is not protected either.";

std::vector<Cell> row_of(const ReportedModel& one, bool evaluated, bool minority) {
  const Guarantee& guarantee = one.model.guarantee;
  const std::string guess = guarantee.is_private ? guess_percent(guarantee) : "";
  std::vector<Cell> row = {{one.name},
                           {series_of(one), ""},
                           {short_guarantee(one.model), "", {}, guarantee.is_private ? "" : kNotPrivate},
                           {guess.empty() ? "–" : guess}};
  const auto add = [&](auto measure) {
    row.push_back(fraction_cell(one.evaluation ? std::optional<double>((*one.evaluation).*measure) : std::nullopt));
  };
  if (evaluated) add(&Evaluation::accuracy);
  if (evaluated) add(&Evaluation::balanced_accuracy);
  if (minority) row.push_back(fraction_cell(one.evaluation ? one.evaluation->minority_accuracy : std::nullopt));
  return row;
}

}  // namespace

std::string short_guarantee(const Model& model) {
  const std::optional<Rational> spent = stated_amount(model);
  if (!spent) return "no bound known";
  const bool for_people = model.guarantee.relation == Relation::add_remove_person;
  return describe(model.budget.notion, {*spent, model.budget.delta}, Rounding::up) + (for_people ? " for people" : "");
}

std::string series_of(const ReportedModel& one) {
  return one.series.empty() ? std::string(method_name(one.model.settings)) : one.series;
}

bool any_evaluated(const Report& report) {
  return std::any_of(report.models.begin(), report.models.end(), [](const auto& one) { return one.evaluation; });
}

void write_models(HtmlWriter& out, const Report& report) {
  const bool evaluated = any_evaluated(report);
  const bool minority = std::any_of(report.models.begin(), report.models.end(), [](const ReportedModel& one) {
    return one.evaluation && one.evaluation->minority_accuracy;
  });
  Table models{{"model", "method", "guarantee", "a guess is right at most"}};
  if (evaluated) models.headings.insert(models.headings.end(), {"accuracy", "balanced"});
  if (minority) models.headings.emplace_back("minority");
  for (const ReportedModel& one : report.models) models.rows.push_back(row_of(one, evaluated, minority));
  section(out, "models", report.models.size() == 1 ? "The model" : "The models", [&] {
    write_table(out, "Models", models);
    if (evaluated) {
      out.paragraph(fmt::format("{}{}", kTestNote, minority ? kMinorityNote : ""), "note");
    }
  });
}

}  // namespace dppl
