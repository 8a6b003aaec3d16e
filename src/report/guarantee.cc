#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "model/guarantee_words.h"
#include "report/page.h"
#include "report/sections.h"

namespace dppl {
namespace {

// The larger, the less is protected: nothing by a seeded model; then by how well one can guess, then by ρ. What has no
// bound comes before what has one. Guarantees for people are of another kind, and come after those for records.
auto weakness(const ReportedModel& one) {
  const Guarantee& guarantee = one.model.guarantee;
  const std::optional<Rational> variation = guarantee.delta_at(0);
  const bool for_people = guarantee.relation == Relation::add_remove_person;
  return std::tuple(!for_people, !guarantee.is_private, !variation, variation.value_or(0), !guarantee.rho,
                    guarantee.rho.value_or(0));
}

const ReportedModel& weakest(const Report& report) {
  return *std::max_element(report.models.begin(), report.models.end(),
                           [](const auto& a, const auto& b) { return weakness(a) < weakness(b); });
}

bool one_relation(const Report& report) {
  const auto relation = [](const ReportedModel& one) { return one.model.guarantee.relation; };
  return std::all_of(report.models.begin(), report.models.end(),
                     [&](const ReportedModel& one) { return relation(one) == relation(report.models.front()); });
}

std::string weakest_words(const Report& report, std::string_view name) {
  if (one_relation(report)) return fmt::format("Of the models here {} protects least.", name);
  return fmt::format(
      "Some of the models here protect people with all of their records, others single records only. Of the latter {} "
      "protects least.",
      name);
}

std::string together(const Report& report) {
  Guarantee all = report.models.front().model.guarantee;
  for (size_t i = 1; i < report.models.size(); ++i) all = compose(all, report.models[i].model.guarantee);
  std::string costs;
  for (const auto& [name, value] : costs_in_words(all)) {
    if (value != "none") costs += fmt::format("{}{}: {}", costs.empty() ? "" : "; ", name, value);
  }
  return fmt::format(
      "Each model has its own guarantee. Were all {} made from the same records and published, their costs "
      "would add up: {}.",
      report.models.size(), costs.empty() ? "no bound is known for the sum" : costs);
}

}  // namespace

void write_protection(HtmlWriter& out, const Guarantee& guarantee) {
  out.element("div", {{"class", "columns"}}, [&] {
    out.element("div", {}, [&] {
      out.text_element("h3", "Protected");
      out.paragraph(protected_words(guarantee.relation));
    });
    out.element("div", {}, [&] {
      out.text_element("h3", "Not protected");
      out.element("ul", {}, [&] {
        for (const std::string& line : unprotected_words(guarantee)) out.text_element("li", line);
      });
    });
  });
}

void write_guarantee_words(HtmlWriter& out, const Model& model, std::string style) {
  const bool is_private = model.guarantee.is_private;
  if (!is_private) {
    out.paragraph("Nothing: it was made with a fixed seed. Made without one it would have had this guarantee.",
                  "warning");
  }
  out.paragraph(guarantee_words(model), std::move(style));
  if (is_private) out.paragraph(guess_words(model.guarantee));
}

void write_guarantee(HtmlWriter& out, const Report& report) {
  const ReportedModel& told = weakest(report);
  const bool several = report.models.size() > 1;
  section(out, "guarantee", "What is promised", [&] {
    out.element("div", {{"class", "promise"}}, [&] {
      if (several) out.paragraph(weakest_words(report, told.name));
      write_guarantee_words(out, told.model, "words");
    });
    if (several && one_relation(report)) out.paragraph(together(report));
    write_protection(out, told.model.guarantee);
  });
}

}  // namespace dppl
