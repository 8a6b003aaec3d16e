#include "dppl/report.h"

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "dppl/error.h"
#include "report/page.h"
#include "report/sections.h"

namespace dppl {

namespace {

void write_contents_note(HtmlWriter& out, const Report& report) {
  out.element("footer", {{"class", "note"}}, [&] {
    out.paragraph(
        fmt::format("On this page: what the model files hold{}{}{}. No private record "
                    "is on it. {}",
                    report.images ? "; public images" : "",
                    any_evaluated(report) ? "; figures on test data, outside of the guarantee" : "",
                    report.ledger ? "; the ledger's entries, which hold nothing private" : "", script_words(out)));
  });
}

}  // namespace

std::string report_html(const Report& report) {
  if (report.models.empty()) throw InvalidInput("report: there is no model; give at least one");
  HtmlWriter out;
  write_headline(out, report);
  out.element("main", {}, [&] {
    write_guarantee(out, report);
    write_models(out, report);
    write_plots(out, report);
    write_prototypes(out, report);
    write_recalls(out, report);
    write_ledger(out, report);
    write_settings(out, report);
  });
  write_contents_note(out, report);
  return html_page(report.title, out);
}

void write_report(const Report& report, const std::string& path) {
  const std::string page = report_html(report);
  AtomicFile(path).commit(page);
}

}  // namespace dppl
