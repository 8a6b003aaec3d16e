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

// ---- What several of them use

inline constexpr const char* kNotPrivate = "NOT PRIVATE";
// The guarantee of one model, and what it means for a guess; of a seeded one, that it has none.
void write_guarantee_words(HtmlWriter& out, const Model& model, std::string style = "");
// What is protected and what not.
void write_protection(HtmlWriter& out, const Guarantee& guarantee);
// That these models, of so many on the page, were made with a seed.
void write_seeded_banner(HtmlWriter& out, const std::vector<std::string>& names, size_t models);
void write_facts(HtmlWriter& out, const Model& model);
void write_fact(HtmlWriter& out, std::string_view name, std::string_view value);  // in a list of them
// "ε = 0.5", "ρ = 0.02": what was spent, in the notion of the budget.
std::string short_guarantee(const Model& model);
std::string series_of(const ReportedModel& one);
bool any_evaluated(const Report& report);

}  // namespace dppl
