#include <fmt/format.h>

#include <algorithm>

#include "report/sections.h"

namespace dppl {
namespace {

std::string classes_words(const Report& report) {
  const size_t classes = report.models.front().model.classes.size();
  const bool same = std::all_of(report.models.begin(), report.models.end(),
                                [&](const ReportedModel& one) { return one.model.classes.size() == classes; });
  return same ? fmt::format("{} class{}", classes, classes == 1 ? "" : "es") : "different sets of classes";
}

std::string lead(const Report& report) {
  const size_t count = report.models.size();
  return fmt::format(
      "{} for {}, made of prototypes that were learned from private labelled records under differential privacy. A new "
      "record gets the class of its nearest prototype.",
      count == 1 ? "A classifier" : fmt::format("{} classifiers", count), classes_words(report));
}

}  // namespace

void write_seeded_banner(HtmlWriter& out, const std::vector<std::string>& names, size_t models) {
  out.element("div", {{"class", "banner"}, {"role", "alert"}}, [&] {
    out.text_element("strong", "NOT PRIVATE: do not publish.");
    std::string which = models == 1 ? "This model was" : names.size() == models ? "All of these models were" : "";
    if (which.empty()) {
      for (const std::string& name : names) which += (which.empty() ? "" : ", ") + name;
      which += names.size() == 1 ? " was" : " were";
    }
    out.text(
        fmt::format(" {} made with a fixed seed, for tests or experiments. Whoever knows the seed can undo the noise; "
                    "the guarantees "
                    "below say what would hold without one.",
                    which));
  });
}

void write_headline(HtmlWriter& out, const Report& report) {
  out.element("header", {}, [&] {
    out.paragraph("Differentially private prototype learning", "kicker");
    out.text_element("h1", report.title);
    out.paragraph(lead(report), "lead");
  });
  std::vector<std::string> seeded;
  for (const ReportedModel& one : report.models) {
    if (!one.model.guarantee.is_private) seeded.push_back(one.name);
  }
  if (!seeded.empty()) write_seeded_banner(out, seeded, report.models.size());
}

}  // namespace dppl
