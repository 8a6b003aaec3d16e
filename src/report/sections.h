#pragma once

#include <string>

#include "dppl/report.h"
#include "report/html.h"

// The parts of the page, in its order. Each writes nothing where it has nothing to show.
namespace dppl {

void write_headline(HtmlWriter& out, const Report& report);
void write_guarantee(HtmlWriter& out, const Report& report);
void write_models(HtmlWriter& out, const Report& report);
void write_plots(HtmlWriter& out, const Report& report);
void write_prototypes(HtmlWriter& out, const Report& report);
void write_recalls(HtmlWriter& out, const Report& report);
void write_ledger(HtmlWriter& out, const Report& report);
void write_settings(HtmlWriter& out, const Report& report);

}  // namespace dppl
